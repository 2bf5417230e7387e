"""The ranks of the items of lists, where all items have one: what joining them, or taking one, gives.

The type of an ONNX sequence says nothing of it, since runtimes would take the shape of the first item for that of all.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from opwright.lang import ir
from opwright.lang.lower.state.context import Lowering
from opwright.lang.lower.state.known import makers_of
from opwright.lang.meaning.operands import (
    Operand,
    is_sequence,
    value_of,
)
from opwright.lang.meaning.static import StaticList
from opwright.opsets.record import TypeRule
from opwright.opsets.records import IDENTITY, OPTIONAL, SEQUENCE_INSERT
from opwright.opsets.signatures import Signature

EMPTY = -1  # of a list without items: of any rank


def joined_rank(*ranks: int | None) -> int | None:
    """The one rank of them; None where they differ, or where one is not known."""
    found = {rank for rank in ranks if rank != EMPTY}
    return EMPTY if not found else found.pop() if len(found) == 1 else None


def item_rank(low: Lowering, operand: Operand) -> int | None:
    """The rank that all items of a list have; EMPTY where there is none, None where they differ or are not known."""
    if isinstance(operand, StaticList):
        return joined_rank(*(_rank(item) for item in operand))
    if not is_sequence(operand):
        return None
    known = operand.type.item.rank
    return low.item_ranks.known.get(operand) if known is None else known


def _rank(operand: Operand) -> int | None:
    value = value_of(operand)
    return None if value is None else value.type.rank


def note_item_rank(low: Lowering, result: Operand, rank: int | None) -> None:
    """Remembers the rank of a sequence's items."""
    if rank is not None and is_sequence(result):
        low.trail.put(low.item_ranks.known, result, rank)


def ranked(
    low: Lowering,
    signature: Signature,
    inputs: Sequence[ir.Value | None],
    attributes: Mapping[str, ir.Attribute],
    type_: ir.Type,
) -> ir.Type:
    """The type of an operator's first result, with the rank that it has by the ranks of items."""
    rule = signature.record.typing
    if rule not in (TypeRule.ITEM, TypeRule.JOINED_ITEMS) or type_.element is None:
        return type_
    if type_.shape is not None or not inputs:
        return type_
    low.item_ranks.rank_reads += 1
    rank = item_rank(low, inputs[0])
    more = ir.known_integer(attributes, "new_axis") if rule is TypeRule.JOINED_ITEMS else 0
    if rank is None or rank == EMPTY or more not in (0, 1):  # no other `new_axis` has a meaning
        return type_
    return ir.TensorType(type_.element, (None,) * (rank + more))


def note_result(low: Lowering, signature: Signature, inputs: Sequence[ir.Value | None], result: ir.Value) -> None:
    """Remembers the rank of the items of the sequence that an operator makes."""
    if not is_sequence(result):
        return
    if signature.record.typing is TypeRule.EMPTY_SEQUENCE:
        note_item_rank(low, result, EMPTY)
    elif signature.record is SEQUENCE_INSERT:
        note_item_rank(low, result, joined_rank(item_rank(low, inputs[0]), _rank(inputs[1])))
    elif signature.record.typing is TypeRule.SEQUENCE and signature.variadic:
        note_item_rank(low, result, joined_rank(*map(_rank, inputs)))


def inserted_ranks(region: ir.Region) -> Iterator[int]:
    """The ranks of items that are put into sequences within a region, as far as they are known."""
    for _, node in ir.walk(region):
        if isinstance(node, ir.Call) and isinstance(node.callee, ir.Operator):
            item = node.inputs[1] if node.callee.signature.record is SEQUENCE_INSERT else None
            rank = None if item is None else item.type.rank
            if rank is not None:
                yield rank


def held_types(low: Lowering, value: ir.Value) -> Iterator[ir.Type]:
    """The types of the items that a sequence or an optional is known to hold, and what its own type says of all."""
    makers = makers_of(low)
    seen: set[int] = set()
    pending = [value]
    while pending:
        found = pending.pop()
        if id(found) in seen:
            continue
        seen.add(id(found))
        yield found.type.innermost
        node = makers.get(id(found))
        if isinstance(node, ir.Call):
            pending.extend(item for item in _contents(node) if item is not None)


def _contents(node: ir.Call) -> Sequence[ir.Value | None]:
    """What the sequence or the optional holds that an operator makes, or what that is held by."""
    if not isinstance(node.callee, ir.Operator):
        return ()
    signature = node.callee.signature
    if signature.record is SEQUENCE_INSERT:
        return node.inputs[:2]
    constructs = signature.record.typing is TypeRule.SEQUENCE and signature.variadic
    return node.inputs if constructs or signature.record in (IDENTITY, OPTIONAL) else ()
