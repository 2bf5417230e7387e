"""`xs[1:]`, `xs[::-1]` of a list whose length is known at run time only: a loop over the places of the slice.

ONNX has no operator for it. The places are those that numpy's meaning of the slice gives among `0, 1, ...`.
"""

from __future__ import annotations

from opwright.lang import ir
from opwright.lang.infer import narrow_to_result
from opwright.lang.lower.context import Lowering
from opwright.lang.lower.item_ranks import item_rank, note_item_rank
from opwright.lang.lower.joins import filler, nested
from opwright.lang.lower.numbers import carried
from opwright.lang.lower.operands import SliceItem
from opwright.lang.lower.primitives import Writer, typed
from opwright.lang.lower.tensor_subscripts import subscript_tensor
from opwright.lang.source import Span
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
        )
    op, int64, boolean = Writer(low, span), low.element_of("int64"), low.element_of("bool")
    everything = typed(op.range(op.int64(0), op.sequence_length(owner), op.int64(1)), int64, (None,))
    places = subscript_tensor(low, everything, [item], span)
    trip = ir.Value(ir.TensorType(int64, ()), "trip", span)
    condition = ir.Value(ir.TensorType(boolean, ()), "condition", span)
    chosen = ir.Value(type_, "", span)
    body = ir.Region([trip, condition, chosen])

    def step() -> list[ir.Value]:
        longer = op.sequence_insert(chosen, op.sequence_at(owner, op.gather(places, trip, axis=0)))
        longer.type = type_
        return [condition, longer]

    body.yields = nested(low, body, span, step)
    operator, result = low.operator(LOOP.name, span), ir.Value(type_, "", span)
    narrow_to_result(operator.signature, type_, low.trail)
    low.append(ir.Loop(operator, op.size(places), carried(low, True, span), [empty], body, [result], span))
    note_item_rank(low, result, item_rank(low, owner))
    return low.lists.made(result)
