"""`owner[index]`, whatever the owner is: a tensor, a shape, a sequence, or something static."""

from __future__ import annotations

from collections.abc import Sequence

from opwright.diagnostics.diagnostic import Choice
from opwright.lang import ir
from opwright.lang.dispatch import (
    Operation,
)
from opwright.lang.lower.nodes.primitives import Writer, as_number
from opwright.lang.lower.numbers.index_items import Position, read_item, refuse_item
from opwright.lang.lower.numbers.number_lists import number_list
from opwright.lang.lower.numbers.number_operands import as_tensor, cast, describe, is_number
from opwright.lang.lower.state.context import Lowering
from opwright.lang.lower.state.known import maybe_absent, need_static
from opwright.lang.lower.state.poison import Poisoned
from opwright.lang.lower.values.sequences import pick, subscript_sequence, tensors_as_sequence
from opwright.lang.lower.values.shapes import subscript_shape
from opwright.lang.lower.values.tensor_subscripts import subscript_tensor
from opwright.lang.meaning import static
from opwright.lang.meaning.operands import (
    ELLIPSIS,
    NEWAXIS,
    Absent,
    AttributeOperand,
    IndexItem,
    IntTuple,
    Marker,
    Operand,
    SliceItem,
    choices_of,
    items_in,
    known_int,
    value_of,
)
from opwright.lang.text.source import Span

__all__ = ["ELLIPSIS", "NEWAXIS", "IndexItem", "SliceItem", "subscript"]


def subscript(low: Lowering, owner: Operand, index: Sequence[IndexItem], span: Span) -> Operand:
    """What stands between the brackets comes in order: int operands, `SliceItem`, `ELLIPSIS` (or Python's own),
    `NEWAXIS` (or None), lists and tensors. One item for `x[i]`, several for `x[i, j]`, none for `x[()]`.
    """
    return _subscripted.of(owner)(owner, low, index, span)


def _no_items(owner: Operand, low: Lowering, index: Sequence[IndexItem], span: Span) -> Operand:
    value = value_of(owner)
    raise low.error(
        "OW340",
        f"{describe(owner)} has no items",
        span,
        reason="its type is not known here"
        if value is not None and value.type.is_unknown
        else "tensors, shapes, sequences, lists and strings can be indexed",
        help="",
        depends_on=choices_of(owner),
    )


_subscripted: Operation[Operand, [Lowering, Sequence[IndexItem], Span], Operand] = Operation(_no_items)


@_subscripted.on(ir.Value)
def _of_value(owner: ir.Value, low: Lowering, index: Sequence[IndexItem], span: Span) -> Operand:
    if owner.optional:
        raise maybe_absent(low, owner, "a subscript needs a value", span)
    if owner.type.element is not None:
        return subscript_tensor(low, owner, index, span)
    if owner.type.sequence_item is None:
        return _no_items(owner, low, index, span)
    item = _only(low, owner, index, span)
    if type(item) is SliceItem:
        return _slice_of(low, owner, item, span)
    return subscript_sequence(low, owner, item, span)


def _slice_of(low: Lowering, owner: ir.Value, item: SliceItem, span: Span) -> Operand:
    from opwright.lang.lower.values.sequence_loops import slice_sequence  # which few functions need

    return slice_sequence(low, owner, item, span)


@_subscripted.on(Absent)
def _of_absent(owner: Absent, low: Lowering, index: Sequence[IndexItem], span: Span) -> Operand:
    raise low.error(
        "OW204",
        f"a subscript needs a value, and `{owner.name}` is absent in this variant",
        span,
        reason="an optional input that is not given is None",
        help=f"ask first: `if {owner.name} is not None:`",
    )


_subscripted.on(AttributeOperand)(lambda owner, low, index, span: _of_attribute(low, owner, index, span))


@_subscripted.on(IntTuple)
def _of_shape(owner: IntTuple, low: Lowering, index: Sequence[IndexItem], span: Span) -> Operand:
    return subscript_shape(low, owner, _only(low, owner, index, span), span)


@_subscripted.on(tuple)
def _of_items(owner: tuple[Operand, ...], low: Lowering, index: Sequence[IndexItem], span: Span) -> Operand:
    return _static(low, owner, index, span)


@_subscripted.on(str)
def _of_text(owner: str, low: Lowering, index: Sequence[IndexItem], span: Span) -> Operand:
    return _static(low, owner, index, span)


@_subscripted.on(range)
def _of_range(owner: range, low: Lowering, index: Sequence[IndexItem], span: Span) -> Operand:
    return _static(low, owner, index, span)


def _only(low: Lowering, owner: Operand, index: Sequence[IndexItem], span: Span) -> IndexItem:
    """The one index that a list takes."""
    if len(index) != 1:
        raise low.error("OW340", f"{len(index)} indices for {describe(owner)}", span, "it has one axis", "")
    return index[0]


def _of_attribute(low: Lowering, owner: AttributeOperand, index: Sequence[IndexItem], span: Span) -> Operand:
    """An attribute that is a list: its numbers, taken at run time."""
    kinds = {ir.AttributeKind.INTS: ir.NumberKind.INT, ir.AttributeKind.FLOATS: ir.NumberKind.FLOAT}
    kind = kinds.get(owner.parameter.kind)
    if kind is None or len(index) != 1 or isinstance(index[0], Marker):
        need_static(low, owner, span)
        raise low.error("OW340", f"{describe(owner)} has no items", span, "it is not a list of numbers", "")
    whole = as_tensor(low, owner, None, span)
    if kind is ir.NumberKind.INT:
        return subscript_shape(low, IntTuple(None, value=whole), index[0], span)
    if isinstance(index[0], SliceItem):
        need_static(low, owner, span)
    item = subscript_tensor(low, whole, index, span)
    return as_number(cast(low, item, low.element_of("double"), span), kind)


def _static(low: Lowering, owner: tuple[Operand, ...] | str | range, index: Sequence[IndexItem], span: Span) -> Operand:
    """Python's own subscript, of what is known when the function is built; the items of a tuple may be anything."""
    item = _only(low, owner, index, span)
    if isinstance(item, SliceItem):
        bounds = (item.start, item.stop, item.step)
        need_static(low, bounds, span)
        known = tuple(bound for bound in bounds if bound is None or isinstance(bound, int))
        if len(known) == len(bounds):
            try:
                part = static.checked(owner[slice(*known)])
                return low.lists.made(static.StaticList(part)) if isinstance(owner, static.StaticList) else part
            except (ValueError, static.StaticError) as error:
                raise low.error("OW312", "the slice has no value here", span, f"Python says: {error}") from None
        sequence = tensors_as_sequence(low, owner, bounds, span) if isinstance(owner, static.StaticList) else None
        if sequence is not None:
            return _slice_of(low, sequence, item, span)
        raise refuse_item(low, next(bound for bound in bounds if not isinstance(bound, (int, type(None)))), span)
    if isinstance(item, AttributeOperand) and item.is_bool:
        need_static(low, item, span)  # a graph does not index by truth values
    place = known_int(item)
    if place is None:
        picked = _at_run_time(low, items_in(owner), item, span)
        if picked is not None:
            return picked
        need_static(low, item, span)
        raise _refuse_place(low, items_in(owner), item, span)
    if -len(owner) <= place < len(owner):
        return owner[place]
    raise low.error("OW312", f"Python says: index {place} is out of range for {len(owner)} items", span)


def _refuse_place(low: Lowering, owner: tuple[Operand, ...] | None, item: IndexItem, span: Span) -> Poisoned:
    """Of a place that is known at run time only: it is none, or the items are not of one kind."""
    if not owner or not isinstance(read_item(low, item, span), Position):
        return refuse_item(low, item, span)
    of_numbers = all(map(is_number, owner))
    return low.error(
        "OW340",
        "which of the items is taken is known at run time only, and they are not of one kind",
        span,
        reason="a value of a graph has one type, whichever item it is",
        help="write numbers of one kind: `1.0` for `1`" if of_numbers else "",
        depends_on=Choice.RANK | Choice.INFERRED_TYPE,
    )


def _at_run_time(low: Lowering, owner: tuple[Operand, ...] | None, item: IndexItem, span: Span) -> Operand | None:
    """A static list of numbers of one kind at a place that is known at run time only; None where that does not fit."""

    if not owner:
        return None
    made = number_list(low, owner, span)
    if made is None:
        return pick(low, owner, item, span)
    read = read_item(low, item, span)
    if not isinstance(read, Position) or read.position is not None:
        return None
    values, kind = made
    op = Writer(low, span)
    return as_number(op.gather(values, op.at(read.value), axis=0), kind)
