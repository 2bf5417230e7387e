"""Lists of tensors: static ones while their length is known, sequences of ONNX where control flow decides it."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from opwright.diagnostics.diagnostic import Choice
from opwright.lang import ir
from opwright.lang.dispatch import Operation
from opwright.lang.lower.nodes.primitives import Writer, as_number
from opwright.lang.lower.numbers.fillers import filler
from opwright.lang.lower.numbers.index_items import (
    read_position,
)
from opwright.lang.lower.numbers.number_operands import ITEMS, as_tensor, describe, is_number, is_plain, shared_element
from opwright.lang.lower.paths.speculate import attempt
from opwright.lang.lower.state.context import Lowering
from opwright.lang.lower.state.known import need_copies
from opwright.lang.lower.state.poison import each
from opwright.lang.meaning.operands import (
    IndexItem,
    Operand,
    is_sequence,
    is_tensor,
    items_in,
    value_of,
)
from opwright.lang.meaning.static import StaticList
from opwright.lang.text.source import Span

# The methods that change a list (`list_changes.py`).
CHANGING = ("append", "clear", "extend", "insert", "pop", "remove", "reverse", "sort")


def is_list(operand: Operand) -> bool:
    """A Python list: of known length, or a sequence."""
    return isinstance(operand, StaticList) or is_sequence(operand)


def is_list_of_tensors(operand: Operand) -> bool:
    """A list that can be a sequence: empty, or of tensors alone."""
    return isinstance(operand, StaticList) and all(is_tensor(item) and not item.optional for item in operand)


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


def join_lists(
    low: Lowering, regions: tuple[ir.Region, ir.Region], values: tuple[Operand, Operand], span: Span | None
) -> tuple[ir.Value, ir.Value, ir.Type] | None:
    """Two lists as sequences of one type, each made in its own region; None where they have no common type."""
    return attempt(low, partial(_as_sequences, low, regions, values, span))  # no finding as long as nothing reads it


def _as_sequences(
    low: Lowering, regions: tuple[ir.Region, ir.Region], values: tuple[Operand, Operand], span: Span | None
) -> tuple[ir.Value, ir.Value, ir.Type] | None:
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
        low.within(region, partial(as_sequence, low, value, type_, span))
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
