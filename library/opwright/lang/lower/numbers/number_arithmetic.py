"""Python's arithmetic and comparisons of numbers of which one at least is known at run time only.

They are carried as rank-0 BOOL, INT64 and DOUBLE. Where Python raises (division by zero, a complex result) the graph
computes what its operators give; where it gives a number of another kind for some values, the operator is refused.

An int is compared with a float exactly, as in Python. A double holds no int beyond 2**53 exactly, so the int is not
simply cast. Where one side is known when the function is built, the other is compared with the nearest number of its
own kind. Where neither is, the cast decides unless it gives the very float: then that float is an integer, and both are
compared as ints.
"""

from __future__ import annotations

import math
import sys
from functools import partial

from opwright.diagnostics.diagnostic import Choice
from opwright.elements import ElementType
from opwright.lang import ir
from opwright.lang.lower.nodes.primitives import Writer, as_number
from opwright.lang.lower.numbers.floor_division import EXPANSIONS
from opwright.lang.lower.numbers.number_operands import carried, cast, describe, is_static_number, number_kind
from opwright.lang.lower.state.context import Lowering
from opwright.lang.lower.state.known import need_static
from opwright.lang.lower.state.poison import Poisoned, each
from opwright.lang.meaning import static
from opwright.lang.meaning.operands import (
    Operand,
    known_int,
    value_of,
)
from opwright.lang.operators import BINARY, MIRRORED, ElementClass, Form, class_of
from opwright.lang.text.source import Span

_BITS = frozenset("&|^")
_LARGEST_SHIFT = 62
_LARGEST_EXPONENT = 64


def on_numbers(low: Lowering, symbol: str, left: Operand, right: Operand, span: Span) -> Operand:
    """`left symbol right`."""
    if symbol in _BITS:
        return _bits(low, symbol, left, right, span)
    if symbol == "**":
        return _power(low, left, right, span)
    if symbol in ("<<", ">>"):
        return _shift(low, symbol, left, right, span)
    if symbol == "@":
        raise low.error(
            "OW314",
            "numbers have no `@`",
            span,
            "it multiplies matrices",
            "",
            depends_on=Choice.INFERRED_TYPE,
        )
    kinds = {number_kind(left), number_kind(right)}
    if symbol in static.COMPARE and kinds == {ir.NumberKind.INT, ir.NumberKind.FLOAT}:
        return compare_exactly(low, symbol, left, right, span)
    floats = ir.NumberKind.FLOAT in kinds or symbol == "/"
    element = low.element_of("double" if floats else "int64")
    values = each(partial(widened, low, element=element, span=span), (left, right))
    form = BINARY[symbol][class_of(element)]
    assert isinstance(form, Form)
    result = _apply(low, form, values[0], values[1], element, span)
    compares = symbol in static.COMPARE
    kind = ir.NumberKind.BOOL if compares else ir.NumberKind.FLOAT if floats else ir.NumberKind.INT
    made = as_number(result, kind)
    if symbol in _HOLD_OF_EQUALS and _is_one_size(low, left, right):
        low.trail.put(low.sizes.proved, made, True)
    return made


_HOLD_OF_EQUALS = ("==", "<=", ">=")


def _is_one_size(low: Lowering, left: Operand, right: Operand) -> bool:
    """Whether both are sizes that are declared to be the same."""
    one, other = value_of(left), value_of(right)
    if one is None or other is None or one not in low.sizes.names:
        return False
    return low.sizes.names[one] == low.sizes.names.get(other)


def _apply(low: Lowering, form: Form, left: ir.Value, right: ir.Value, element: ElementType, span: Span) -> ir.Value:
    op = Writer(low, span)
    if form.expansion:
        return EXPANSIONS[form.expansion](low, op.tensor(left, element), op.tensor(right, element), span)
    result = op(form.operator, left, right)
    return op.not_(result) if form.negated else result


def widened(low: Lowering, operand: Operand, element: ElementType, span: Span) -> ir.Value:
    """The number as a rank-0 tensor of INT64 or DOUBLE."""
    if is_static_number(operand) and element.name == "double":
        return carried(low, _as_float(operand), span)
    if is_static_number(operand):
        return carried(low, +operand, span)  # an int of a bool
    value = carried(low, operand, span)
    return value if ir.known_element(value.type.carried.element) is element else cast(low, value, element, span)


def _as_float(operand: float) -> Operand:
    try:
        return float(operand)
    except OverflowError:
        return operand  # refused where it is packed, with the reason


def negative(low: Lowering, operand: Operand, span: Span) -> Operand:
    zero = 0 if number_kind(operand) is not ir.NumberKind.FLOAT else -0.0
    return on_numbers(low, "-", zero, operand, span)


def positive(low: Lowering, operand: Operand, span: Span) -> Operand:
    """`+True` is 1."""
    if number_kind(operand) is not ir.NumberKind.BOOL:
        return operand
    value = widened(low, operand, low.element_of("int64"), span)
    return as_number(value, ir.NumberKind.INT)


def absolute(low: Lowering, operand: Operand, span: Span) -> Operand:
    floats = number_kind(operand) is ir.NumberKind.FLOAT
    value = widened(low, operand, low.element_of("double" if floats else "int64"), span)
    return as_number(Writer(low, span).abs(value), ir.NumberKind.FLOAT if floats else ir.NumberKind.INT)


def inverted(low: Lowering, operand: Operand, span: Span) -> Operand:
    """`~n` is -1 - n, of a bool too."""
    if number_kind(operand) is ir.NumberKind.FLOAT:
        raise _no_bits(low, "~", describe(operand), span)
    return on_numbers(low, "-", -1, operand, span)


def _no_bits(low: Lowering, symbol: str, what: str, span: Span) -> Poisoned:
    message = f"`{symbol}` is not defined for {what}"
    reason = "a float has no bits in Python"
    return low.error("OW314", message, span, reason, depends_on=Choice.INFERRED_TYPE)


# --------------------------------------------------------------------------------------- what needs more than one


def _operator(symbol: str, elements: ElementClass) -> str:
    """The operator that a sign is on tensors."""
    form = BINARY[symbol][elements]
    assert isinstance(form, Form)
    return form.operator


def _bits(low: Lowering, symbol: str, left: Operand, right: Operand, span: Span) -> Operand:
    kinds = {number_kind(left), number_kind(right)}
    if ir.NumberKind.FLOAT in kinds:
        raise _no_bits(low, symbol, "floats", span)
    if kinds == {ir.NumberKind.BOOL}:
        values = each(partial(carried, low, span=span), (left, right))
    else:
        values = each(partial(widened, low, element=low.element_of("int64"), span=span), (left, right))
    if kinds == {ir.NumberKind.BOOL}:
        return as_number(
            Writer(low, span)(_operator(symbol, ElementClass.BOOL), values[0], values[1]), ir.NumberKind.BOOL
        )
    on_ints = _operator(symbol, ElementClass.SIGNED)
    low.operator(on_ints, span, f"`{symbol}`")
    return as_number(Writer(low, span)(on_ints, values[0], values[1]), ir.NumberKind.INT)


def _shift(low: Lowering, symbol: str, left: Operand, right: Operand, span: Span) -> Operand:
    """By a static count: a product, or a floor division, by a power of two."""
    if ir.NumberKind.FLOAT in (number_kind(left), number_kind(right)):
        raise _no_bits(low, symbol, "floats", span)
    count = known_int(right)
    if count is None:
        need_static(low, right, span)
    if count is None or not 0 <= count <= _LARGEST_SHIFT:
        raise low.error(
            "OW347",
            f"`{symbol}` of a number that is known at run time only takes a constant from 0 to {_LARGEST_SHIFT}",
            span,
            reason="ONNX shifts unsigned integers only, so it becomes a product or a division by a power of two",
            help="make it a tensor of an unsigned type: `op.BitShift`",
        )
    return on_numbers(low, "*" if symbol == "<<" else "//", left, 1 << count, span)


def _float_power(low: Lowering, left: Operand, right: Operand, span: Span) -> Operand:
    element = low.element_of("double")
    base, exponent = each(partial(widened, low, element=element, span=span), (left, right))
    return as_number(Writer(low, span).pow(base, exponent), ir.NumberKind.FLOAT)


def _power(low: Lowering, left: Operand, right: Operand, span: Span) -> Operand:
    floats = ir.NumberKind.FLOAT in (number_kind(left), number_kind(right))
    if floats:
        return _float_power(low, left, right, span)
    exponent = known_int(right)
    if exponent is None:
        need_static(low, right, span)
        raise low.error(
            "OW347",
            "`**` of ints needs an exponent that is known when the function is built",
            span,
            reason="a negative exponent makes a float, any other an int: the kind of the result depends on the value",
            help="make one of them a float: `float(n)`",
        )
    if exponent < 0:
        return _float_power(low, left, right, span)
    return _integer_power(low, left, exponent, span)


def _integer_power(low: Lowering, base: Operand, exponent: int, span: Span) -> Operand:
    """By squaring: runtimes compute an integer `Pow` in floating point, which loses digits."""
    if exponent > _LARGEST_EXPONENT:
        raise low.error(
            "OW347",
            f"an exponent above {_LARGEST_EXPONENT} of an int that is known at run time only",
            span,
            reason="the power of any int except -1, 0 and 1 exceeds int64",
            help="make the base a float: `float(n)`",
        )
    result: Operand = None
    square = positive(low, base, span)
    while exponent:
        if exponent & 1:
            result = square if result is None else on_numbers(low, "*", result, square, span)
        exponent >>= 1
        if exponent:
            square = on_numbers(low, "*", square, square, span)
    return 1 if result is None else result


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
