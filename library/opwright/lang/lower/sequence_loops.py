"""Lists whose length is known at run time only, made item by item: `xs[1:]`, `xs[::-1]`, `xs + ys`, `list(x)`.

ONNX has no operators for them: a loop inserts the items. The places of a slice are those that numpy's meaning of it
gives among `0, 1, ...`.
"""

from __future__ import annotations

from collections.abc import Callable

from opwright.diagnostics.diagnostic import Choice
from opwright.lang import ir
from opwright.lang.infer import narrow_to_result
from opwright.lang.lower.context import Lowering
from opwright.lang.lower.item_ranks import item_rank, joined_rank, note_item_rank
from opwright.lang.lower.joins import filler, nested
from opwright.lang.lower.numbers import carried, describe
from opwright.lang.lower.operands import Operand, SliceItem, is_sequence, items_in
from opwright.lang.lower.primitives import Writer, typed
from opwright.lang.lower.sequences import copied, entering_sequence, is_list_of_tensors
from opwright.lang.lower.tensor_rows import row_count, row_tensor
from opwright.lang.lower.tensor_subscripts import subscript_tensor
from opwright.lang.source import Span
from opwright.lang.static import StaticList
from opwright.opsets.records import LOOP


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

    body.yields = nested(low, body, span, step)
    operator, result = low.operator(LOOP.name, span), ir.Value(type_, "", span)
    narrow_to_result(operator.signature, type_, low.trail)
    low.append(ir.Loop(operator, trips, carried(low, True, span), [before], body, [result], span))
    return result
