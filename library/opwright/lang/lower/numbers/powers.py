"""`base ** exponent` where one of them is a tensor, and the base may hold integers.

ONNX's `Pow` of integers makes 0 of most negative exponents, which numpy refuses, and runtimes compute it in double,
which loses digits beyond 2**53. So a power of integers is a product, by squaring, and its exponent is a number that is
known when the function is built and not negative. Powers of floats are `Pow`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from opwright.diagnostics.diagnostic import Choice
from opwright.elements import ElementType
from opwright.lang import ir
from opwright.lang.lower.nodes.emitted_calls import try_emit
from opwright.lang.lower.nodes.primitives import Writer, typed
from opwright.lang.lower.numbers.number_operands import (
    as_tensor,
    describe,
    is_number,
    is_static_number,
    narrow,
    needs_element,
    number_kind,
)
from opwright.lang.lower.state.context import Lowering, complete
from opwright.lang.lower.state.known import need_static
from opwright.lang.meaning.operands import (
    Operand,
    is_tensor,
    value_of,
)
from opwright.lang.meaning.rounding import DoesNotFitError, pack
from opwright.lang.text.source import Span
from opwright.opsets.records import IDENTITY, MUL, POW

Factor = TypeVar("Factor")
_FLOATS = "raise floats: `op.Cast(x, to=DOUBLE)`"


def integer_power(low: Lowering, left: Operand, right: Operand, element: ir.Element, span: Span) -> Operand | None:
    """The power of a base whose `element` may be an integer; None where `Pow` does it.

    Where only floats have the power and no interface promises integers, the base becomes one of floats.
    """
    integers = [item for item in element.elements if item.is_integer]
    if not integers or (isinstance(right, float) and not right.is_integer()):
        return None
    low.target.rely_on(element)
    base = value_of(left)
    if is_static_number(right) and right >= 0 and base is not None:
        return _product(low, base, int(right), element, integers, span)
    variable = ir.open_element(element)
    if variable is not None and narrow(low, variable, integers, "`**`"):
        return None
    if is_number(right) and not is_static_number(right):
        if number_kind(right) is ir.NumberKind.FLOAT:
            return None  # refused where it meets the integers
        need_static(low, right, span)
    help = _FLOATS if variable is None else f"leave the integer types out of `{variable.name}`, or {_FLOATS}"
    if is_static_number(right) and right < 0:
        raise low.error(
            "OW335",
            f"an integer tensor has no power of {right}",
            span,
            reason="a negative power of an integer is a fraction: numpy refuses it, and `Pow` of ONNX makes it 0",
            help=help,
            depends_on=Choice.INFERRED_TYPE,
        )
    raise low.error(
        "OW335",
        "`**` of an integer tensor needs an exponent that is known when the function is built",
        span,
        reason=f"the exponent is {describe(right)}, which may be negative, and a negative power of an integer is a "
        "fraction",
        help=f"{help}; `op.Pow` takes such exponents, and runtimes compute it in floating point",
        depends_on=Choice.INFERRED_TYPE,
    )


def _product(
    low: Lowering, base: ir.Value, exponent: int, element: ir.Element, integers: list[ElementType], span: Span
) -> ir.Value | None:
    """None for `base ** 0` that `Pow` takes, which is exact, and where the body may yet make floats of the base."""
    unfit = [item for item in integers if not _fits(exponent, item)]
    variable = ir.open_element(element)
    if unfit and not (variable is not None and narrow(low, variable, unfit, f"the exponent {exponent}")):
        raise low.error(
            "OW313",
            f"the exponent does not fit {unfit[0].name}",
            span,
            reason=f"{exponent} is outside {unfit[0].name}, and a number takes the element type of the tensor it meets",
            help="cast the tensor to a wider type",
            depends_on=Choice.INFERRED_TYPE,
        )
    if variable is not None:
        if variable.rigid and not _is_raised_by_pow(low, integers, span):
            raise needs_element(low, variable, span)  # declared types that `Pow` would take away
        return None
    if not exponent:
        return None if _is_raised_by_pow(low, integers, span) else _ones(low, base, element, span)
    if exponent == 1:
        return Writer(low, span).identity(base)

    def times(left: ir.Value, right: ir.Value) -> ir.Value:
        # not every opset multiplies every integer type
        return try_emit(low, MUL.name, [left, right], span, (span, span))

    first: ir.Value = base
    return _by_squaring(first, exponent, times)


def _is_raised_by_pow(low: Lowering, integers: list[ElementType], span: Span) -> bool:
    pow = low.operator(POW.name, span).signature
    return all(low.target.takes(pow, pow.inputs[0].type, item) for item in integers)


def _ones(low: Lowering, base: ir.Value, element: ir.Element, span: Span) -> ir.Value:
    """`base ** 0`: ones of its shape."""
    op = Writer(low, span)
    return typed(op.expand(as_tensor(low, 1, element, span), op.shape(base)), element, base.type.shape)


def _by_squaring(base: Factor, exponent: int, times: Callable[[Factor, Factor], Factor]) -> Factor:
    """`base ** exponent` for an exponent above 1: as many products as it has bits, and ones among them."""
    result: Factor | None = None
    square: Factor = base
    while True:
        if exponent & 1:
            result = square if result is None else times(result, square)
        exponent >>= 1
        if not exponent:
            assert result is not None
            return result
        square = times(square, square)


def note_power(low: Lowering, result: ir.Value, exponent: int | float) -> None:
    """Remembers a `Pow` that `expand_powers` is to look at."""
    node = low.region.nodes[-1] if low.region.nodes else None
    if node is not None and node.made()[0] is result and int(exponent) == exponent and _may_be_integer(result):
        low.trail.put(low.powers, node, int(exponent))


def expand_powers(low: Lowering, region: ir.Region) -> None:
    """A pass over a finished body: each `**` that `Pow` stands for, and whose base may still hold integers, becomes a
    product. What the base may hold is known only now: a statement further down may say that it is a float.
    """
    if not low.powers:
        return
    pending = [region]
    while pending:
        current = pending.pop()
        nodes: list[ir.Node] = []
        for node in current.nodes:
            pending.extend(node.regions())
            exponent = low.powers.get(node)
            if exponent is None or not isinstance(node, ir.Call) or not _may_be_integer(node.inputs[0]):
                nodes.append(node)
            else:
                nodes.extend(_expanded(low, node, exponent))
        current.nodes[:] = nodes


def _may_be_integer(value: ir.Value | None) -> bool:
    assert value is not None and is_tensor(value)
    return any(item.is_integer for item in ir.settle(value.type.element).elements)


def _expanded(low: Lowering, node: ir.Call, exponent: int) -> list[ir.Call]:
    base = node.inputs[0]
    assert base is not None
    made: list[ir.Call] = []

    def call(name: str, *inputs: ir.Value | None) -> ir.Value:
        operator, result = low.operator(name, node.span), ir.Value(base.type, "", node.span)
        made.append(ir.Call(operator, list(inputs), complete(operator.signature, {}), [result], node.span))
        return result

    if exponent == 1:
        call(IDENTITY.name, base)
    else:
        _by_squaring(base, exponent, lambda left, right: call(MUL.name, left, right))
    made[-1].results = node.results
    if node in low.sources:
        low.sources.update(dict.fromkeys(made, low.sources[node]))
    return made


def _fits(exponent: int, element: ElementType) -> bool:
    try:
        pack(exponent, element)
    except DoesNotFitError:
        return False
    return True
