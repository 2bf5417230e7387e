"""Tuples that hold what is known at run time only: joined as Python joins them, compared entry by entry."""

from __future__ import annotations

from functools import partial

from opwright.lang import ir
from opwright.lang.lower.context import Lowering
from opwright.lang.lower.known import need_static
from opwright.lang.lower.number_lists import number_list
from opwright.lang.lower.numbers import attribute_value, describe, is_number
from opwright.lang.lower.operands import AttributeOperand, IntTuple, Operand
from opwright.lang.lower.poison import Poisoned, each
from opwright.lang.lower.primitives import Writer, typed
from opwright.lang.lower.shapes import known_length, tuple_items, tuple_tensor
from opwright.lang.source import Span
from opwright.lang.static import StaticList

_LISTS = (ir.AttributeKind.INTS, ir.AttributeKind.FLOATS, ir.AttributeKind.STRINGS)


def is_tuple(operand: Operand) -> bool:
    """A tuple or list in Python's sense: one of known length, a shape, or an attribute that is a list."""
    if isinstance(operand, AttributeOperand):
        return operand.parameter.kind in _LISTS
    return isinstance(operand, (tuple, IntTuple))


def on_tuples(low: Lowering, symbol: str, left: Operand, right: Operand, span: Span) -> Operand:
    """`left symbol right`, where both are tuples and one holds more than static values."""
    if symbol == "+":
        return _joined(low, left, right, span)
    if symbol in ("==", "!="):
        equal = _equal(low, left, right, span)
        from opwright.lang.lower.conditions import negate

        return equal if symbol == "==" else negate(low, equal, span)
    for operand in (left, right):
        need_static(low, operand, span)
    raise low.error(
        "OW314",
        f"`{symbol}` is not defined for tuples that hold values of the run time",
        span,
        reason=f"it gets {describe(left)} and {describe(right)}",
        help="take their entries: `x.shape[0]`",
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
    )


def kind_of(operand: Operand) -> type | None:
    """Python's type of a tuple or list; None of an attribute, which may be given as either."""
    if isinstance(operand, AttributeOperand):
        return None
    return list if isinstance(operand, StaticList) else tuple


def _differ(left: Operand, right: Operand) -> bool:
    kinds = {kind_of(left), kind_of(right)} - {None}
    return len(kinds) > 1


def _joined(low: Lowering, left: Operand, right: Operand, span: Span) -> Operand:
    if _differ(left, right):
        raise low.error("OW312", "Python says: can only concatenate list to list, tuple to tuple", span)
    if _has_known_length(left) and _has_known_length(right):
        first, second = each(partial(_items, low, span=span, why=""), (left, right))
        both = (*first, *second)
        return low.lists.made(StaticList(both)) if kind_of(left) is list else both
    pieces = each(partial(ints_of, low, span=span), (left, right))
    made = typed(Writer(low, span).concat(pieces[0], pieces[1], axis=0), "int64", (None,))
    return IntTuple(None, value=made)


def ints_of(low: Lowering, side: Operand, span: Span) -> ir.Value:
    """A tuple of ints as an INT64 tensor of rank 1."""
    if isinstance(side, IntTuple):
        return tuple_tensor(low, side, span)
    if isinstance(side, AttributeOperand) and side.parameter.kind is ir.AttributeKind.INTS:
        return attribute_value(low, side.parameter, span)
    if side == ():
        return Writer(low, span).int64s(())
    made = number_list(low, side, span) if isinstance(side, tuple) else None
    if made is not None and made[1] is ir.NumberKind.INT:
        return made[0]
    raise low.error("OW341", f"{describe(side)} cannot be joined to a list of ints", span, "it has other items", "")


def _has_known_length(side: Operand) -> bool:
    return isinstance(side, tuple) or (isinstance(side, IntTuple) and known_length(side) is not None)


def _items(low: Lowering, side: Operand, span: Span, why: str) -> tuple[Operand, ...]:
    if isinstance(side, IntTuple):
        return tuple_items(low, side, span, why)
    if isinstance(side, tuple):
        return side
    need_static(low, side, span)
    raise low.error("OW341", f"the length of {describe(side)} must be known", span, why, "")


def _equal(low: Lowering, left: Operand, right: Operand, span: Span) -> ir.Value | bool:
    """Of one type, of one length, and every entry equal."""
    from opwright.lang.lower.arithmetic import binary
    from opwright.lang.lower.conditions import truth

    if _differ(left, right):
        return False
    pair = each(partial(_items, low, span=span, why="tuples are compared entry by entry"), (left, right))
    if len(pair[0]) != len(pair[1]):
        return False
    found: ir.Value | None = None
    for one, other in zip(pair[0], pair[1], strict=True):
        if not all(is_number(side) or isinstance(side, (str, tuple, IntTuple)) for side in (one, other)):
            raise low.error("OW314", "tuples that hold tensors are not compared", span, "compare their entries", "")
        same = binary(low, "==", one, other, span, (span, span))
        condition = truth(low, same, span)
        if condition is True:
            continue
        if condition is False:
            return False
        proved = condition in low.proved and (found is None or found in low.proved)
        found = condition if found is None else Writer(low, span).and_(found, condition)
        found.type = ir.NumberType(ir.NumberKind.BOOL)
        if proved:
            low.trail.put(low.proved, found, True)
    return True if found is None else found


def holds_runtime(operand: Operand) -> bool:
    """Whether a tuple holds, at any depth, something that is not known when the function is built."""
    from opwright.lang.lower.arithmetic import is_static

    pending = [operand]
    while pending:
        item = pending.pop()
        if isinstance(item, tuple):
            pending.extend(item)
        elif not is_static(item):
            return True
    return False
