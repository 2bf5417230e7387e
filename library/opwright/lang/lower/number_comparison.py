"""An int compared with a float: exactly, as Python does.

A double holds no int beyond 2**53 exactly, so the int is not simply cast. Where one side is known when the function is
built, the other is compared with the nearest number of its own kind. Where neither is, the cast decides unless it gives
the very float: then that float is an integer, and both are compared as ints.
"""

from __future__ import annotations

import math
import sys
from functools import partial

from opwright.lang import ir
from opwright.lang.lower.context import Lowering
from opwright.lang.lower.numbers import carried, cast, is_static_number, number_kind
from opwright.lang.lower.operands import Operand
from opwright.lang.lower.poison import each
from opwright.lang.lower.primitives import Writer, as_number
from opwright.lang.operators import MIRRORED
from opwright.lang.source import Span

_LEAST, _GREATEST = -(1 << 63), (1 << 63) - 1


def compare_exactly(low: Lowering, symbol: str, left: Operand, right: Operand, span: Span) -> Operand:
    """`left symbol right`, of an int and a float of which one at least is known at run time only."""
    if number_kind(left) is ir.NumberKind.FLOAT:
        symbol, left, right = MIRRORED[symbol], right, left
    if is_static_number(right):
        return _with_float(low, symbol, left, float(right), span)
    if is_static_number(left):
        return _with_int(low, MIRRORED[symbol], right, int(left), span)
    return _of_run_time(low, symbol, left, right, span)


def _with_float(low: Lowering, symbol: str, number: Operand, known: float, span: Span) -> Operand:
    """An int of the run time with a float: with the same int, else with the greatest int below it."""
    if math.isnan(known):
        return symbol == "!="
    if math.isinf(known):
        return symbol in (("<", "<=", "!=") if known > 0 else (">", ">=", "!="))
    below = math.floor(known)
    if below != known:
        if symbol in ("==", "!="):
            return symbol == "!="
        symbol = "<=" if symbol in ("<", "<=") else ">"
    if below > _GREATEST:
        return symbol in ("<", "<=", "!=")
    if below < _LEAST:
        return symbol in (">", ">=", "!=")
    return _compared(low, symbol, carried(low, number, span), carried(low, below, span), span)


def _with_int(low: Lowering, symbol: str, number: Operand, known: int, span: Span) -> Operand:
    """A float of the run time with an int: with the same float, else with the greatest float below it."""
    below = _float_below(known)
    if below != known:
        if symbol in ("==", "!="):
            return symbol == "!="
        symbol = "<=" if symbol in ("<", "<=") else ">"
    return _compared(low, symbol, carried(low, number, span), carried(low, below, span), span)


def _float_below(number: int) -> float:
    """The greatest double that is not above an int."""
    try:
        nearest = float(number)
    except OverflowError:
        return sys.float_info.max if number > 0 else -math.inf
    return math.nextafter(nearest, -math.inf) if nearest > number else nearest


def _compared(low: Lowering, symbol: str, left: ir.Value, right: ir.Value, span: Span) -> ir.Value:
    """Two numbers of one kind."""
    op = Writer(low, span)
    compare = {"==": op.equal, "!=": op.equal, "<": op.less, "<=": op.less_or_equal, ">": op.greater}
    result = compare.get(symbol, op.greater_or_equal)(left, right)
    return as_number(op.not_(result) if symbol == "!=" else result, ir.NumberKind.BOOL)


def _of_run_time(low: Lowering, symbol: str, left: Operand, right: Operand, span: Span) -> ir.Value:
    number, real = each(partial(carried, low, span=span), (left, right))
    above = carried(low, 2.0**63, span)  # what ints are rounded up to that are close to their limit
    op = Writer(low, span)
    rounded = cast(low, number, low.element_of("double"), span)
    same, fits = op.equal(rounded, real), op.less(real, above)
    whole = cast(low, real, low.element_of("int64"), span)
    if symbol in ("==", "!="):
        equal = op.and_(same, op.and_(fits, op.equal(number, whole)))
        return as_number(op.not_(equal) if symbol == "!=" else equal, ir.NumberKind.BOOL)
    if symbol in ("<", "<="):
        first = op.less(number, whole) if symbol == "<" else op.not_(op.greater(number, whole))
        inside, outside = op.or_(op.not_(fits), first), op.less(rounded, real)
    else:
        first = op.greater(number, whole) if symbol == ">" else op.not_(op.less(number, whole))
        inside, outside = op.and_(fits, first), op.greater(rounded, real)
    return as_number(op.or_(op.and_(same, inside), outside), ir.NumberKind.BOOL)
