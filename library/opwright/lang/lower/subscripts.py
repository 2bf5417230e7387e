"""`owner[index]`, whatever the owner is: a tensor, a shape, a sequence, or something static."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from opwright.lang import ir, static
from opwright.lang.lower.calls import maybe_absent
from opwright.lang.lower.context import Lowering
from opwright.lang.lower.index_items import Position, read_item, refuse_item
from opwright.lang.lower.known import need_static
from opwright.lang.lower.number_lists import number_list
from opwright.lang.lower.numbers import as_tensor, cast, describe
from opwright.lang.lower.operands import (
    ELLIPSIS,
    NEWAXIS,
    Absent,
    AttributeOperand,
    IndexItem,
    IntTuple,
    Marker,
    Operand,
    SliceItem,
    is_sequence,
    is_tensor,
)
from opwright.lang.lower.poison import Poisoned
from opwright.lang.lower.primitives import Writer
from opwright.lang.lower.rules import by_class
from opwright.lang.lower.sequences import pick, subscript_sequence
from opwright.lang.lower.shapes import as_number, subscript_shape
from opwright.lang.lower.tensor_subscripts import subscript_tensor
from opwright.lang.source import Span

__all__ = ["ELLIPSIS", "NEWAXIS", "IndexItem", "SliceItem", "subscript"]


def subscript(low: Lowering, owner: Operand, index: Sequence[IndexItem], span: Span) -> Operand:
    """What stands between the brackets comes in order: int operands, `SliceItem`, `ELLIPSIS` (or Python's own),
    `NEWAXIS` (or None), lists and tensors. One item for `x[i]`, several for `x[i, j]`, none for `x[()]`.
    """
    rule = by_class(_OWNERS, type(owner))
    if rule is None:
        raise _no_items(low, owner, "tensors, shapes, sequences, lists and strings can be indexed", span)
    return rule(low, owner, index, span)


def _no_items(low: Lowering, owner: Operand, reason: str, span: Span) -> Poisoned:
    return low.error("OW340", f"{describe(owner)} has no items", span, reason=reason, help="")


def _of_value(low: Lowering, owner: ir.Value, index: Sequence[IndexItem], span: Span) -> Operand:
    if owner.optional:
        raise maybe_absent(low, owner, "a subscript needs a value", span)
    if is_tensor(owner):
        return subscript_tensor(low, owner, index, span)
    if is_sequence(owner):
        return subscript_sequence(low, owner, _only(low, owner, index, span), span)
    of_unknown = "its type is not known here"
    others = "tensors, shapes, sequences, lists and strings can be indexed"
    raise _no_items(low, owner, of_unknown if owner.type.is_unknown else others, span)


def _only(low: Lowering, owner: Operand, index: Sequence[IndexItem], span: Span) -> IndexItem:
    """The index of what has one axis."""
    if len(index) != 1:
        raise low.error("OW340", f"{len(index)} indices for {describe(owner)}", span, "it has one axis", "")
    return index[0]


def _of_shape(low: Lowering, owner: IntTuple, index: Sequence[IndexItem], span: Span) -> Operand:
    return subscript_shape(low, owner, _only(low, owner, index, span), span)


def _of_absent(low: Lowering, owner: Absent, index: Sequence[IndexItem], span: Span) -> Operand:
    raise low.error(
        "OW204",
        f"a subscript needs a value, and `{owner.name}` is absent in this variant",
        span,
        reason="an optional input that is not given is None",
        help=f"ask first: `if {owner.name} is not None:`",
    )


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
        raise refuse_item(low, next(bound for bound in bounds if not isinstance(bound, (int, type(None)))), span)
    if isinstance(item, AttributeOperand) and item.is_bool:
        need_static(low, item, span)  # a graph does not index by truth values
    if not isinstance(item, int):
        picked = _at_run_time(low, owner, item, span)
        if picked is not None:
            return picked
        need_static(low, item, span)
        raise refuse_item(low, item, span)
    if -len(owner) <= item < len(owner):
        return owner[item]
    raise low.error("OW312", f"Python says: index {item} is out of range for {len(owner)} items", span)


def _at_run_time(low: Lowering, owner: Operand, item: IndexItem, span: Span) -> Operand | None:
    """A static list of numbers of one kind at a place that is known at run time only; None where that does not fit."""
    if not isinstance(owner, tuple) or not owner:
        return None
    made = number_list(low, owner, span)
    if made is None:
        return pick(low, owner, item, span)
    read = read_item(low, item, span)
    if not isinstance(read, Position) or isinstance(read.value, int):
        return None
    values, kind = made
    return as_number(Writer(low, span).gather(values, read.value, axis=0), kind)


_OWNERS: dict[type, Callable[[Lowering, Any, Sequence[IndexItem], Span], Operand]] = {
    Absent: _of_absent,
    AttributeOperand: _of_attribute,
    IntTuple: _of_shape,
    ir.Value: _of_value,
    range: _static,
    str: _static,
    tuple: _static,
}
