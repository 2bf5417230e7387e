"""Tuples that hold what is known at run time only: joined as Python joins them, compared entry by entry."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from opwright.diagnostics.diagnostic import Choice
from opwright.lang import ir
from opwright.lang.dispatch import (
    Operation,
)
from opwright.lang.lower.nodes.primitives import Writer, as_number, typed
from opwright.lang.lower.numbers.number_lists import number_list
from opwright.lang.lower.numbers.number_operands import attribute_value, describe, is_number
from opwright.lang.lower.state.context import Lowering
from opwright.lang.lower.state.known import need_static
from opwright.lang.lower.state.poison import Poisoned, each
from opwright.lang.lower.values.shapes import known_length, tuple_items, tuple_tensor
from opwright.lang.meaning.operands import (
    AttributeOperand,
    IntTuple,
    Operand,
    is_static,
    items_in,
)
from opwright.lang.meaning.static import SEQUENCE_ITEMS, StaticList
from opwright.lang.text.source import Span

Same = Callable[[Operand, Operand], ir.Value | bool]


def is_tuple(operand: Operand) -> bool:
    """A tuple or list in Python's sense: one of known length, a shape, or an attribute that is a list."""
    return _tuple_like.of(operand)(operand)


_tuple_like: Operation[Operand, [], bool] = Operation(lambda operand: False)
_tuple_like.on(tuple, IntTuple)(lambda operand: True)
_tuple_like.on(AttributeOperand)(lambda operand: operand.is_list)


def on_tuples(low: Lowering, symbol: str, left: Operand, right: Operand, span: Span) -> Operand:
    """`left symbol right`, where both are tuples and one holds more than static values."""
    if symbol == "+":
        return _joined(low, left, right, span)
    for operand in (left, right):
        need_static(low, operand, span)
    raise low.error(
        "OW314",
        f"`{symbol}` is not defined for tuples that hold values of the run time",
        span,
        reason=f"it gets {describe(left)} and {describe(right)}",
        help="take their entries: `x.shape[0]`",
        depends_on=Choice.RANK | Choice.INFERRED_TYPE,
    )


def refuse_list_and_number(low: Lowering, symbol: str, left: Operand, right: Operand, span: Span) -> Poisoned:
    """In Python `[1] * n` repeats the list: it is no product of tensors."""
    for operand in (left, right):
        need_static(low, operand, span)
    return low.error(
        "OW314",
        f"`{symbol}` of a list or tuple and a number of the run time",
        span,
        reason=f"it gets {describe(left)} and {describe(right)}; Python's result has a length that is not known",
        help="make a tensor of the list first: `op.Identity([...])`",
        depends_on=Choice.RANK | Choice.INFERRED_TYPE,
    )


def kind_of(operand: Operand) -> type | None:
    """Python's type of a tuple or list; None of an attribute, which may be given as either."""
    return _python_type.of(operand)(operand)


_python_type: Operation[Operand, [], type | None] = Operation(lambda operand: tuple)
_python_type.on(StaticList)(lambda operand: list)
_python_type.on(AttributeOperand)(lambda operand: None)


def _differ(left: Operand, right: Operand) -> bool:
    kinds = {kind_of(left), kind_of(right)} - {None}
    return len(kinds) > 1


def _joined(low: Lowering, left: Operand, right: Operand, span: Span) -> Operand:
    if _differ(left, right):
        raise low.error("OW312", "Python says: can only concatenate list to list, tuple to tuple", span)
    if _has_known_length(left) and _has_known_length(right):
        first, second = each(partial(_items, low, span=span, why=""), (left, right))
        if len(first) + len(second) > SEQUENCE_ITEMS:
            raise low.error("OW311", f"more than the {SEQUENCE_ITEMS:,} items allowed", span, "lists have a limit")
        both = (*first, *second)
        return low.lists.made(StaticList(both)) if kind_of(left) is list else both
    pieces = each(partial(ints_of, low, span=span), (left, right))
    made = typed(Writer(low, span).concat(pieces[0], pieces[1], axis=0), "int64", (None,))
    return IntTuple(None, value=made)


def ints_of(low: Lowering, side: Operand, span: Span) -> ir.Value:
    """A tuple of ints as an INT64 tensor of rank 1."""
    return _ints.of(side)(side, low, span)


def _other_items(side: Operand, low: Lowering, span: Span) -> ir.Value:
    raise low.error("OW341", f"{describe(side)} cannot be joined to a list of ints", span, "it has other items", "")


_ints: Operation[Operand, [Lowering, Span], ir.Value] = Operation(_other_items)
_ints.on(IntTuple)(lambda side, low, span: tuple_tensor(low, side, span))


@_ints.on(AttributeOperand)
def _ints_of_attribute(side: AttributeOperand, low: Lowering, span: Span) -> ir.Value:
    if side.parameter.kind is not ir.AttributeKind.INTS:
        return _other_items(side, low, span)
    return attribute_value(low, side.parameter, span)


@_ints.on(tuple)
def _ints_of_list(side: tuple[Operand, ...], low: Lowering, span: Span) -> ir.Value:

    if not side:
        return Writer(low, span).int64s(())
    made = number_list(low, side, span)
    return made[0] if made is not None and made[1] is ir.NumberKind.INT else _other_items(side, low, span)


def _has_known_length(side: Operand) -> bool:
    return _length.of(side)(side) is not None


_length: Operation[Operand, [], int | None] = Operation(lambda side: None)
_length.on(tuple)(len)
_length.on(IntTuple)(known_length)


def _items(low: Lowering, side: Operand, span: Span, why: str) -> tuple[Operand, ...]:
    return _entries.of(side)(side, low, span, why)


def _no_entries(side: Operand, low: Lowering, span: Span, why: str) -> tuple[Operand, ...]:
    need_static(low, side, span)
    raise low.error("OW341", f"the length of {describe(side)} must be known", span, why, "")


_entries: Operation[Operand, [Lowering, Span, str], tuple[Operand, ...]] = Operation(_no_entries)
_entries.on(tuple)(lambda side, low, span, why: side)
_entries.on(IntTuple)(lambda side, low, span, why: tuple_items(low, side, span, why))


def _has_python_equality(entry: Operand) -> bool:
    """A number, a text, a tuple or a shape; two tensors are compared element by element."""
    return is_number(entry) or isinstance(entry, (str, tuple, IntTuple))


def equal_tuples(low: Lowering, left: Operand, right: Operand, span: Span, same: Same) -> ir.Value | bool:
    """Whether two tuples are of one type, of one length, and every entry equal: `same` compares two of them."""
    if _differ(left, right):
        return False
    pair = each(partial(_items, low, span=span, why="tuples are compared entry by entry"), (left, right))
    if len(pair[0]) != len(pair[1]):
        return False
    found: ir.Value | None = None
    for one, other in zip(pair[0], pair[1], strict=True):
        if not (_has_python_equality(one) and _has_python_equality(other)):
            raise low.error(
                "OW314",
                "tuples that hold tensors are not compared",
                span,
                "compare their entries",
                "",
                depends_on=Choice.RANK | Choice.INFERRED_TYPE,
            )
        condition = same(one, other)
        if condition is True:
            continue
        if condition is False:
            return False
        proved = condition in low.sizes.proved and (found is None or found in low.sizes.proved)
        both = condition if found is None else Writer(low, span).and_(found, condition)
        found = as_number(both, ir.NumberKind.BOOL)
        if proved:
            low.trail.put(low.sizes.proved, found, True)
    return True if found is None else found


def holds_runtime(operand: Operand) -> bool:
    """Whether a tuple holds, at any depth, something that is not known when the function is built."""
    pending = [operand]
    while pending:
        item = pending.pop()
        items = items_in(item)
        if items is not None:
            pending.extend(items)
        elif not is_static(item):
            return True
    return False
