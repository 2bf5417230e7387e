"""Lists whose length is known at run time only, made item by item: `xs[1:]`, `xs[::-1]`, `xs + ys`, `list(x)`.

ONNX has no operators for them: a loop inserts the items. The places of a slice are those that numpy's meaning of it
gives among `0, 1, ...`.
"""

from __future__ import annotations

from collections.abc import Callable

from opwright.diagnostics.diagnostic import Choice
from opwright.lang import ir
from opwright.lang.dispatch import Operation
from opwright.lang.emit import COPIES_SEQUENCES_SINCE
from opwright.lang.infer.result_types import narrow_to_result
from opwright.lang.lower.nodes.item_ranks import item_rank, joined_rank, note_item_rank
from opwright.lang.lower.nodes.primitives import Writer, typed
from opwright.lang.lower.numbers.fillers import filler
from opwright.lang.lower.numbers.number_operands import carried, describe
from opwright.lang.lower.state.context import Lowering
from opwright.lang.lower.state.known import need_copies
from opwright.lang.lower.values.sequences import as_sequence, is_list_of_tensors, item_tensor
from opwright.lang.lower.values.tensor_subscripts import row_count, row_tensor, subscript_tensor
from opwright.lang.meaning.operands import (
    Operand,
    SliceItem,
    is_sequence,
    items_in,
)
from opwright.lang.meaning.static import SEQUENCE_ITEMS, StaticList
from opwright.lang.text.source import Span
from opwright.opsets.records import LOOP


def grown(owner: ir.Value, low: Lowering, items: tuple[Operand, ...], span: Span) -> ir.Value:
    """A sequence with these items behind its own."""
    assert is_sequence(owner)
    if not items:
        return copied(low, owner, span)
    value: ir.Value = owner
    for item in items:
        tensor = item_tensor(low, item, owner.type.item, span, owner)
        found = Writer(low, span).sequence_insert(value, tensor)
        found.type = owner.type
        value = found
    return value


def copied(low: Lowering, owner: ir.Value, span: Span) -> ir.Value:
    """Another list of the same items: Python's `xs + []`."""
    if low.target.is_before(COPIES_SEQUENCES_SINCE):
        return slice_sequence(low, owner, SliceItem(), span)
    made = Writer(low, span).identity(owner)
    made.type = owner.type
    note_item_rank(low, made, item_rank(low, owner))
    return made


def entering_sequence(low: Lowering, items: StaticList, type_: ir.SequenceType, span: Span) -> ir.Value:
    """A list as the sequence with which it enters a loop.

    It grows out of an empty one, since runtimes take the shape of the first items for that of all: what a loop carries
    keeps the type with which it enters.
    """
    for item in items:
        item_tensor(low, item, type_.item, span, None)
    empty = as_sequence(low, StaticList(), type_, span)
    return grown(empty, low, tuple(items), span)


def slice_sequence(low: Lowering, owner: ir.Value, item: SliceItem, span: Span) -> ir.Value:
    """Another list of the items that the slice chooses."""
    type_ = owner.type
    empty = filler(low, type_, span)
    if empty is None:
        if low.scouting:
            return ir.Value(type_, "", span)
        raise low.error(
            "OW346",
            "the element type of a list is not known where it is sliced",
            span,
            reason="the slice may have no items, and an empty list says its element type",
            help="begin the list with an item, or with `op.SequenceEmpty(dtype=...)`",
            depends_on=Choice.INFERRED_TYPE,
        )
    op, int64 = Writer(low, span), low.element_of("int64")
    everything = typed(op.range(op.int64(0), op.sequence_length(owner), op.int64(1)), int64, (None,))
    places = subscript_tensor(low, everything, [item], span)
    result = _with(
        low, empty, op.size(places), lambda trip: op.sequence_at(owner, op.gather(places, trip, axis=0)), span
    )
    note_item_rank(low, result, item_rank(low, owner))
    return low.lists.made(result)


def join_sequences(low: Lowering, owner: Operand, more: ir.Value, span: Span) -> ir.Value:
    """`owner + more`: the items of a list, then those of one whose length is known at run time only."""
    assert isinstance(more.type, ir.SequenceType)
    if is_list_of_tensors(owner):
        if not owner:
            return copied(low, more, span)
        before = entering_sequence(low, StaticList(items_in(owner) or ()), more.type, span)
    elif is_sequence(owner) and owner.type.unify(more.type, low.trail):
        before = owner
    else:
        raise low.error(
            "OW346",
            f"{describe(owner)} and {describe(more)} are not lists of the same items",
            span,
            reason="a sequence of ONNX holds tensors of one element type",
            help="cast the items of one of them: `op.CastLike(a, b)`",
            depends_on=Choice.INFERRED_TYPE,
        )
    op = Writer(low, span)
    rank = joined_rank(item_rank(low, owner), item_rank(low, more))
    result = _with(low, before, op.sequence_length(more), lambda trip: op.sequence_at(more, trip), span)
    note_item_rank(low, result, rank)
    return result


def rows_of(low: Lowering, value: ir.Value, span: Span) -> ir.Value:
    """The rows of a tensor as a list."""
    dims = None if value.type.shape is None else value.type.shape[1:]
    assert value.type.element is not None
    empty = filler(low, ir.SequenceType(ir.TensorType(value.type.element, dims)), span)
    if empty is None:
        raise low.error(
            "OW346",
            "the element type of a list of rows is not known",
            span,
            reason="there may be no rows, and an empty list says its element type",
            help="annotate the tensor",
            depends_on=Choice.INFERRED_TYPE,
        )
    trips = Writer(low, span).at(row_count(low, value, span))
    result = _with(low, empty, trips, lambda trip: row_tensor(low, value, trip, span), span)
    note_item_rank(low, result, None if dims is None else len(dims))
    return result


def _with(
    low: Lowering, before: ir.Value, trips: ir.Value, item: Callable[[ir.Value], ir.Value], span: Span
) -> ir.Value:
    """A sequence with an item more for each trip."""
    type_ = before.type
    trip = ir.Value(ir.TensorType(low.element_of("int64"), ()), "trip", span)
    condition = ir.Value(ir.TensorType(low.element_of("bool"), ()), "condition", span)
    grown = ir.Value(type_, "", span)
    body = ir.Region([trip, condition, grown])

    def step() -> list[ir.Value]:
        longer = Writer(low, span).sequence_insert(grown, item(trip))
        longer.type = type_
        return [condition, longer]

    body.yields = low.nested(body, span, step)
    operator, result = low.operator(LOOP.name, span), ir.Value(type_, "", span)
    narrow_to_result(operator.signature, type_, low.trail)
    low.append(ir.Loop(operator, trips, carried(low, True, span), [before], body, [result], span))
    return result


# ------------------------------------------------------------------------------------------- `+` and `*` of lists


def joined(low: Lowering, owner: Operand, items: Operand, span: Span) -> Operand:
    """`owner + items`: two lists in Python's sense, each of which may be a sequence."""
    if is_sequence(items):
        need_copies(low, items)
        return join_sequences(low, owner, items, span)
    more = items_in(items)
    if more is None:
        raise low.error(
            "OW345",
            f"{describe(items)} cannot be joined to a list",
            span,
            reason="how many items it has must be known when the function is built",
            help="append the items one by one, in a loop",
        )
    return _extended.of(owner)(owner, low, more, span)


def repeated(low: Lowering, owner: ir.Value, times: int, span: Span) -> Operand:
    """`owner * times` of a list that is a sequence."""
    if times <= 0:
        return StaticList()
    made: Operand = copied(low, owner, span)
    for _ in range(times - 1):
        made = joined(low, made, owner, span)
    return made


def _not_extended(owner: Operand, low: Lowering, items: tuple[Operand, ...], span: Span) -> Operand:
    raise AssertionError(f"{describe(owner)} is no list")


_extended: Operation[Operand, [Lowering, tuple[Operand, ...], Span], Operand] = Operation(_not_extended)


@_extended.on(StaticList)
def _longer(owner: StaticList, low: Lowering, items: tuple[Operand, ...], span: Span) -> StaticList:
    if len(owner) + len(items) > SEQUENCE_ITEMS:
        raise low.error("OW311", f"more than the {SEQUENCE_ITEMS:,} items allowed", span, "lists have a limit")
    return StaticList((*owner, *items))


_extended.on(ir.Value)(lambda owner, low, items, span: grown(owner, low, items, span))
