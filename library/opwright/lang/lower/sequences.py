"""Lists of tensors: static ones while their length is known, sequences of ONNX where control flow decides it."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from opwright.diagnostics.diagnostic import Choice
from opwright.lang import ir
from opwright.lang.dispatch import Operation
from opwright.lang.emit import COPIES_SEQUENCES_SINCE
from opwright.lang.lower.context import Lowering
from opwright.lang.lower.index_items import (
    read_position,
)
from opwright.lang.lower.item_ranks import item_rank, note_item_rank
from opwright.lang.lower.known import need_copies
from opwright.lang.lower.numbers import ITEMS, as_tensor, describe, is_number, is_plain, shared_element
from opwright.lang.lower.operands import (
    IndexItem,
    Operand,
    SliceItem,
    StaticIterator,
    is_sequence,
    is_tensor,
    items_in,
    value_of,
)
from opwright.lang.lower.poison import each
from opwright.lang.lower.primitives import Writer, as_number
from opwright.lang.lower.speculate import attempt
from opwright.lang.source import Span
from opwright.lang.static import SEQUENCE_ITEMS, StaticList

# The methods that change a list (`list_changes.py`).
CHANGING = ("append", "clear", "extend", "insert", "pop", "remove", "reverse", "sort")


def is_list(operand: Operand) -> bool:
    """A Python list: of known length, or a sequence."""
    return isinstance(operand, StaticList) or is_sequence(operand)


def is_list_of_tensors(operand: Operand) -> bool:
    """A list that can be a sequence: empty, or of tensors alone."""
    return isinstance(operand, StaticList) and all(is_tensor(item) and not item.optional for item in operand)


def joined(low: Lowering, owner: Operand, items: Operand, span: Span) -> Operand:
    """`owner + items`: two lists in Python's sense, each of which may be a sequence."""
    if is_sequence(items):
        from opwright.lang.lower.sequence_loops import join_sequences  # which few functions need

        need_copies(low, items)
        return join_sequences(low, owner, items, span)
    more = items.items if isinstance(items, StaticIterator) else items_in(items)
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


_extended.on(ir.Value)(lambda owner, low, items, span: _grown(owner, low, items, span))


def _grown(owner: ir.Value, low: Lowering, items: tuple[Operand, ...], span: Span) -> ir.Value:
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
        from opwright.lang.lower.sequence_loops import slice_sequence

        return slice_sequence(low, owner, SliceItem(), span)
    made = Writer(low, span).identity(owner)
    made.type = owner.type
    note_item_rank(low, made, item_rank(low, owner))
    return made


def item_tensor(low: Lowering, item: Operand, type_: ir.Type, span: Span, owner: ir.Value | None) -> ir.Value:
    """An item of a sequence as a tensor of its element type."""
    if is_tensor(item) and not item.optional:
        if type_.unify(item.type, low.trail):
            return item
        reason = f"it holds tensors of {_element(type_)!r}"
    else:
        reason = "a sequence of ONNX holds tensors of one element type"
    if owner is not None:
        need_copies(low, owner)
    raise low.error(
        "OW346",
        f"{describe(item)} cannot be an item of this list",
        span,
        reason=reason,
        help="make it a tensor: `FLOAT(x)`, `INT64(n)`"
        if is_number(item)
        else "cast it: `op.CastLike(a, b)`"
        if is_tensor(item)
        else "keep a list for each part: `xs.append(x)`, `ys.append(y)`",
        depends_on=Choice.INFERRED_TYPE,
    )


def _element(type_: ir.Type) -> object:
    return type_ if type_.element is None else ir.settle(type_.element)


# ------------------------------------------------------------------------------------------- lists as sequences


def unknown_items() -> ir.SequenceType:
    """The type of a sequence of which only what is appended to it will tell the element type."""
    return ir.SequenceType(ir.TensorType(ir.TypeVariable(ITEMS, rigid=False)))


def with_tensors(low: Lowering, items: Sequence[Operand], element: ir.Element | None, span: Span) -> StaticList:
    """What an operator takes as a sequence: numbers and texts in it, and lists of them, are tensors of `element`, else
    of the type of the first tensor, else of the one that holds all of them."""
    first = next((item for item in items if is_tensor(item)), None)
    if element is None:
        element = shared_element(low, items, [span] * len(items)) if first is None else first.type.element
    if element is None:
        return StaticList(items)
    return StaticList(as_tensor(low, item, element, span) if _becomes_tensor(item) else item for item in items)


def _becomes_tensor(item: Operand) -> bool:
    return is_number(item) or is_plain(item) or items_in(item) is not None


def as_sequence(low: Lowering, operand: Operand, type_: ir.Type, span: Span | None) -> ir.Value:
    """A list as a sequence of a type, which it may narrow; the type of an empty one must be known."""
    return _sequence.of(operand)(operand, low, type_, span, span or (0, 0, 0, 0))


def _no_list(operand: Operand, low: Lowering, type_: ir.Type, span: Span | None, place: Span) -> ir.Value:
    raise low.error(
        "OW325",
        f"{describe(operand)} is not a list of tensors",
        place,
        f"{type_!r} is wanted",
        "",
        depends_on=Choice.LOOP_FORM,
    )


_sequence: Operation[Operand, [Lowering, ir.Type, Span | None, Span], ir.Value] = Operation(_no_list)


@_sequence.on(ir.Value)
def _same_sequence(operand: ir.Value, low: Lowering, type_: ir.Type, span: Span | None, place: Span) -> ir.Value:
    if not is_sequence(operand):
        return _no_list(operand, low, type_, span, place)
    if type_.unify(operand.type, low.trail):
        return operand
    raise low.error(
        "OW346",
        f"{describe(operand)} is not of type {type_!r}",
        place,
        "the element types differ",
        "",
        depends_on=Choice.INFERRED_TYPE,
    )


@_sequence.on(StaticList)
def _constructed(operand: StaticList, low: Lowering, type_: ir.Type, span: Span | None, place: Span) -> ir.Value:
    from opwright.lang.lower.joins import filler

    inner = type_.sequence_item
    assert inner is not None
    tensors = each(lambda item: item_tensor(low, item, inner, place, None), operand)
    if tensors:
        made = Writer(low, span).sequence_construct(*tensors)
        made.type = type_
        return made
    empty = filler(low, type_, span)
    if empty is None:
        raise low.error(
            "OW346",
            "the element type of an empty list is not known",
            place,
            reason="no appended item determines it",
            help="annotate the function's output, or begin the list with a tensor",
            depends_on=Choice.INFERRED_TYPE,
        )
    return empty


def entering_sequence(low: Lowering, items: StaticList, type_: ir.SequenceType, span: Span) -> ir.Value:
    """A list as the sequence with which it enters a loop.

    It grows out of an empty one, since runtimes take the shape of the first items for that of all: what a loop carries
    keeps the type with which it enters.
    """
    for item in items:
        item_tensor(low, item, type_.item, span, None)
    empty = as_sequence(low, StaticList(), type_, span)
    return _grown(empty, low, tuple(items), span)


def join_lists(
    low: Lowering, regions: tuple[ir.Region, ir.Region], values: tuple[Operand, Operand], span: Span | None
) -> tuple[ir.Value, ir.Value, ir.Type] | None:
    """Two lists as sequences of one type, each made in its own region; None where they have no common type."""
    return attempt(low, partial(_as_sequences, low, regions, values, span))  # no finding as long as nothing reads it


def _as_sequences(
    low: Lowering, regions: tuple[ir.Region, ir.Region], values: tuple[Operand, Operand], span: Span | None
) -> tuple[ir.Value, ir.Value, ir.Type] | None:
    from opwright.lang.lower.joins import within

    type_: ir.Type = unknown_items()
    for value in values:
        for item in items_in(value) or ():
            tensor = value_of(item)
            if tensor is None or not type_.unify(ir.SequenceType(tensor.type), low.trail):
                return None
        sequence = value_of(value)
        if sequence is not None and not type_.unify(sequence.type, low.trail):
            return None
    first, second = (
        within(low, region, partial(as_sequence, low, value, type_, span))
        for region, value in zip(regions, values, strict=True)
    )
    return first, second, type_


# ------------------------------------------------------------------------------------------------------- items


def sequence_length(low: Lowering, sequence: ir.Value, span: Span) -> ir.Value:
    """`len(ys)`."""
    return as_number(Writer(low, span).sequence_length(sequence))


def subscript_sequence(low: Lowering, owner: ir.Value, item: IndexItem, span: Span) -> Operand:
    """`ys[i]`: out of range it fails at run time."""
    place = read_position(low, item, span)
    op = Writer(low, span)
    return op.sequence_at(owner, op.at(place))


def pick(low: Lowering, owner: StaticList | tuple[Operand, ...], item: IndexItem, span: Span) -> Operand | None:
    """A list of tensors of one type at a place of the run time; None where it is no such list."""
    sequence = tensors_as_sequence(low, owner, (item,), span)
    return None if sequence is None else subscript_sequence(low, sequence, item, span)


def tensors_as_sequence(
    low: Lowering, owner: Sequence[Operand], index: Sequence[Operand], span: Span
) -> ir.Value | None:
    """A list of tensors of one type, of which places of the run time are read; None where it is no such list."""
    tensors = [part for part in owner if is_tensor(part)]
    if not tensors or len(tensors) < len(owner) or any(part.optional for part in tensors):
        return None
    for place in map(value_of, index):
        if place is not None:
            need_copies(low, place)
    type_ = unknown_items()
    if not all(type_.item.unify(part.type, low.trail) for part in tensors):
        return None
    return as_sequence(low, StaticList(tensors), type_, span)
