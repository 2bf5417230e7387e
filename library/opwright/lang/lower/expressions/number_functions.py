"""Functions of numbers of the run time: `abs`, `bool`, `divmod`, `float`, `int`, `len`, `max`, `min`, `pow`, `round`,
`sum`, and those of `math` that runtimes compute as Python does, to the last bit.

The others of `math` have no operator on doubles, or one that differs from Python in the last bit.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from opwright.lang import ir
from opwright.lang.dispatch import (
    Operation,
)
from opwright.lang.lower.expressions.arithmetic import binary
from opwright.lang.lower.expressions.conditions import as_scalar, truth
from opwright.lang.lower.nodes.primitives import Writer, as_number
from opwright.lang.lower.numbers.number_arithmetic import absolute, on_numbers, positive, widened
from opwright.lang.lower.numbers.number_operands import (
    carried,
    cast,
    describe,
    is_number,
    is_static_number,
    number_kind,
)
from opwright.lang.lower.state.context import Lowering
from opwright.lang.lower.state.known import can_stay_open, need_static
from opwright.lang.lower.values.shapes import known_length, length_of, size_of, tuple_items, tuple_tensor
from opwright.lang.meaning import static
from opwright.lang.meaning.operands import (
    AttributeOperand,
    IntTuple,
    Operand,
    known_int,
)
from opwright.lang.text.source import Span

_K = ir.NumberKind


def call_number_builtin(low: Lowering, name: str, operands: Sequence[Operand], span: Span) -> Operand | None:
    """The builtin's value; None where it is not one of these, or has no form for such operands."""
    if name == "len" and len(operands) == 1:
        return length_of(low, operands[0], span)
    if name in ("min", "max", "sum") and len(operands) == 1:
        return _of_list(low, name, operands[0], span)
    if name == "sum" and len(operands) == 2:
        return _sum_from(low, operands[0], operands[1], span)
    if name == "bool" and len(operands) == 1 and _is_of_graph(operands[0]):
        return _truth(low, operands[0], span)
    if not operands or not all(map(is_number, operands)) or all(map(is_static_number, operands)):
        return None
    if name in ("min", "max"):
        return _extreme(low, name, operands, span)
    if name == "divmod" and len(operands) == 2:
        left, right = operands
        return on_numbers(low, "//", left, right, span), on_numbers(low, "%", left, right, span)
    if name == "round" and len(operands) == 2:
        return _round_to_digits(low, operands[0], operands[1], span)
    if name == "pow" and len(operands) == 2:
        return on_numbers(low, "**", operands[0], operands[1], span)
    function = _UNARY.get(name)
    return function(low, operands[0], span) if function is not None and len(operands) == 1 else None


# ---------------------------------------------------------------------------------------------- of one number


def _float(low: Lowering, operand: Operand, span: Span) -> Operand:
    value = widened(low, operand, low.element_of("double"), span)
    return _copied(low, operand, value, _K.FLOAT, span)


def _int(low: Lowering, operand: Operand, span: Span) -> Operand:
    """Towards zero, as a cast does."""
    if number_kind(operand) is _K.FLOAT:
        return _cast_to_int(low, operand, False, span)
    return positive(low, operand, span)


def _round(low: Lowering, operand: Operand, span: Span) -> Operand:
    """To the nearest, a tie to the even one, as `Round` does."""
    if number_kind(operand) is _K.FLOAT:
        return _cast_to_int(low, operand, True, span)
    return positive(low, operand, span)


def _round_to_digits(low: Lowering, operand: Operand, digits: Operand, span: Span) -> Operand | None:
    """`round(operand, digits)` of an int, and of a `float` attribute; None where it has no exact form."""
    count = known_int(digits)
    if count is None or (isinstance(operand, AttributeOperand) and not can_stay_open(low, operand, span)):
        return None
    if number_kind(operand) is not _K.FLOAT:
        return positive(low, operand, span) if count >= 0 else _round_to_tens(low, operand, -count, span)
    if not isinstance(operand, AttributeOperand) or not 0 <= count <= _MOST_DIGITS:
        return None
    # It holds what float32 does, so that the product is exact; the quotient is the double that Python reads its
    # decimals as.
    op, double = Writer(low, span), low.element_of("double")
    scale = carried(low, 10.0**count, span)
    return as_number(op.div(op.round(op.mul(widened(low, operand, double, span), scale)), scale), _K.FLOAT)


_MOST_DIGITS = 12  # 10**12 takes 28 bits of a product of 52, beside the 24 of float32: its other 12 are zeros


def _round_to_tens(low: Lowering, operand: Operand, count: int, span: Span) -> Operand | None:
    """An int to a multiple of `10**count`, a tie to the even one."""
    if count > _MOST_TENS:
        return None
    tens = 10**count
    whole, rest = (on_numbers(low, symbol, operand, tens, span) for symbol in ("//", "%"))
    odd = on_numbers(low, "%", whole, 2, span)
    above = on_numbers(low, ">", on_numbers(low, "+", on_numbers(low, "*", rest, 2, span), odd, span), tens, span)
    return on_numbers(low, "*", on_numbers(low, "+", whole, above, span), tens, span)


_MOST_TENS = 18  # twice 10**18 is an int64


def _bool(low: Lowering, operand: Operand, span: Span) -> Operand:
    if number_kind(operand) is _K.BOOL:
        return operand
    return on_numbers(low, "!=", operand, 0, span)


def _is_of_graph(operand: Operand) -> bool:
    """Whether it is a tensor, a list or a shape that is known at run time only."""
    return isinstance(operand, IntTuple) or (isinstance(operand, ir.Value) and not is_number(operand))


def _truth(low: Lowering, operand: Operand, span: Span) -> Operand:
    """`bool(x)` of a tensor of one element, a list or a shape: what `if x:` asks."""
    found = truth(low, operand, span)
    if isinstance(found, bool):
        return found
    return as_number(Writer(low, span).identity(as_scalar(low, found, span)), _K.BOOL)


def _cast_to_int(low: Lowering, operand: Operand, rounded: bool, span: Span) -> Operand:
    value = widened(low, operand, low.element_of("double"), span)
    if rounded:
        value = Writer(low, span).round(value)
    return as_number(cast(low, value, low.element_of("int64"), span), _K.INT)


def _copied(low: Lowering, operand: Operand, value: ir.Value, kind: ir.NumberKind, span: Span) -> Operand:
    """`value` as a number; the operand itself where it is one of that kind already."""
    if value is operand:
        return operand
    if isinstance(operand, AttributeOperand) and number_kind(operand) is kind:
        return operand
    return as_number(value, kind)


_UNARY: dict[str, Callable[[Lowering, Operand, Span], Operand]] = {
    "abs": absolute,
    "bool": _bool,
    "float": _float,
    "int": _int,
    "round": _round,
}


# ------------------------------------------------------------------------------------------------------ of math


def call_number_math(low: Lowering, name: str, operands: Sequence[Operand], span: Span) -> Operand | None:
    """`math.<name>(...)`; None where it has no exact form, or where all is known or will be."""
    if name == "prod" and len(operands) == 1:
        return _product(low, operands[0], span)
    if not all(map(is_number, operands)) or all(map(is_static_number, operands)):
        return None
    if any(isinstance(operand, AttributeOperand) and operand.choices for operand in operands):
        return None
    if name in ("ceil", "floor", "trunc") and len(operands) == 1:
        return _whole(low, name, operands[0], span)
    if name == "fmod" and len(operands) == 2:
        return _float_function(low, lambda op, values: op.mod(values[0], values[1], fmod=1), operands, span)
    function = _FLOAT_FUNCTIONS.get(name)
    return _float_function(low, function, operands, span) if function is not None and len(operands) == 1 else None


def _whole(low: Lowering, name: str, operand: Operand, span: Span) -> Operand:
    """An int: of a float the one below, above or towards zero."""
    if number_kind(operand) is not _K.FLOAT:
        return positive(low, operand, span)
    value = widened(low, operand, low.element_of("double"), span)
    op = Writer(low, span)
    if name != "trunc":
        value = op.floor(value) if name == "floor" else op.ceil(value)
    return as_number(op.cast(value, low.element_of("int64")), _K.INT)


_FloatFunction = Callable[[Writer, Sequence[ir.Value]], ir.Value]
_FLOAT_FUNCTIONS: dict[str, _FloatFunction] = {
    "cos": lambda op, values: op.cos(values[0]),
    "exp": lambda op, values: op.exp(values[0]),
    "fabs": lambda op, values: op.abs(values[0]),
    "log": lambda op, values: op.log(values[0]),
    "sin": lambda op, values: op.sin(values[0]),
    "sqrt": lambda op, values: op.sqrt(values[0]),
}


def _float_function(low: Lowering, function: _FloatFunction, operands: Sequence[Operand], span: Span) -> Operand:
    double = low.element_of("double")
    values = [widened(low, operand, double, span) for operand in operands]
    return as_number(function(Writer(low, span), values), _K.FLOAT)


# -------------------------------------------------------------------------------------------- of several of them


def _extreme(low: Lowering, name: str, operands: Sequence[Operand], span: Span) -> Operand:
    """The first of the least, or greatest: Python's own comparison, which decides about nan and -0.0 too."""
    kinds = {number_kind(operand) for operand in operands}
    if len(kinds) > 1:
        need_static(low, tuple(operands), span)
        raise low.error(
            "OW347",
            f"`{name}` of numbers of different kinds",
            span,
            reason="Python gives one of them as it is, so the kind of the result depends on their values: "
            + ", ".join(describe(operand) for operand in operands),
            help="make them all floats, or all ints: `float(n)`",
        )
    kind = kinds.pop()
    found = carried(low, operands[0], span)
    op = Writer(low, span)
    for operand in operands[1:]:
        value = carried(low, operand, span)
        if kind is _K.BOOL:
            found = op.and_(found, value) if name == "min" else op.or_(found, value)
        elif kind is _K.INT and not low.target.is_before(12):
            found = op.min(found, value) if name == "min" else op.max(found, value)
        else:
            better = op.less(value, found) if name == "min" else op.greater(value, found)
            found = op.where(better, value, found)
    return as_number(found, kind) if len(operands) > 1 else operands[0]


def _of_list(low: Lowering, name: str, operand: Operand, span: Span) -> Operand | None:
    """`min`, `max` or `sum` of a list of numbers, or of a shape."""
    return _reductions.of(operand)(operand, low, name, span)


_reductions: Operation[Operand, [Lowering, str, Span], Operand | None] = Operation(
    lambda operand, low, name, span: None
)


@_reductions.on(IntTuple)
def _of_shape(operand: IntTuple, low: Lowering, name: str, span: Span) -> Operand | None:
    if known_length(operand) is None:
        return _reduced(low, name, tuple_tensor(low, operand, span), span)
    items = tuple_items(low, operand, span, f"`{name}` runs over it")
    sizes = tuple(size for size in map(known_int, items) if size is not None)
    return _of_known(low, name, sizes, span) if len(sizes) == len(items) else _of_numbers(items, low, name, span)


@_reductions.on(tuple)
def _of_numbers(operand: tuple[Operand, ...], low: Lowering, name: str, span: Span) -> Operand | None:
    if all(map(is_static_number, operand)):
        return None
    if name == "sum":
        return _sum(low, operand, span)
    if not all(map(is_number, operand)):
        return None
    return operand[0] if len(operand) == 1 else call_number_builtin(low, name, operand, span)


def _of_known(low: Lowering, name: str, sizes: tuple[int, ...], span: Span) -> Operand:
    """Of a shape that is known when the function is built."""
    try:
        found: Operand = static.call_builtin(name, [sizes])
        return found
    except static.StaticError as error:
        raise low.no_value(error, f"`{name}` has no value here", span) from None


def _sum_from(low: Lowering, operand: Operand, start: Operand, span: Span) -> Operand | None:
    """`sum(items, start)` of a list or of a shape of known length."""
    if isinstance(operand, IntTuple) and known_length(operand) is not None:
        operand = tuple_items(low, operand, span, "`sum` runs over it")
    if not isinstance(operand, tuple) or all(map(is_static_number, (*operand, start))):
        return None
    return _sum(low, operand, span, start)


def _sum(low: Lowering, items: Sequence[Operand], span: Span, start: Operand = 0) -> Operand:
    """`start + a + b + ...`, of numbers and of tensors."""
    total = start
    for item in items:
        total = binary(low, "+", total, item, span, (span, span))
    return total


def _product(low: Lowering, operand: Operand, span: Span) -> Operand | None:
    """`1 * a * b * ...`, of a list of numbers or of a shape."""
    if isinstance(operand, IntTuple):
        is_whole = operand.start is None and operand.stop is None
        if known_length(operand) is None and operand.owner is not None and is_whole:
            return size_of(low, operand.owner, span)
        operand = tuple_items(low, operand, span, "`math.prod` runs over it")
    elif not isinstance(operand, tuple) or not all(map(is_number, operand)) or all(map(is_static_number, operand)):
        return None
    total: Operand = 1
    for item in operand:
        total = binary(low, "*", total, item, span, (span, span))
    return total


def _reduced(low: Lowering, name: str, values: ir.Value, span: Span) -> Operand:
    """Of an INT64 tensor of rank 1: all its elements, in one."""
    op = Writer(low, span)
    reduce = {"min": op.reduce_min, "max": op.reduce_max, "sum": op.reduce_sum}[name]
    return as_number(reduce(values), _K.INT)
