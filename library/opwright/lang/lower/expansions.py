"""Operators that ONNX has no single operator for, written out by numpy's algorithm."""

from __future__ import annotations

from collections.abc import Callable

from opwright.lang import ir
from opwright.lang.lower.context import Lowering
from opwright.lang.lower.numbers import convert_number
from opwright.lang.source import Span

Expansion = Callable[[Lowering, ir.Value, ir.Value, Span | None], ir.Value]


class _Writer:
    """Short names for the primitives that the expansions are made of."""

    def __init__(self, low: Lowering, like: ir.Value, span: Span | None) -> None:
        assert isinstance(like.type, ir.TensorType)
        self.low = low
        self.element = like.type.element
        self.span = span

    def __call__(self, name: str, *inputs: ir.Value, **attributes: int) -> ir.Value:
        from opwright.lang.lower.calls import emit

        bound = {key: ir.AttributeValue(ir.AttributeKind.INT, value) for key, value in attributes.items()}
        return emit(self.low, name, list(inputs), dict(bound), self.span)

    def number(self, value: float) -> ir.Value:
        made = convert_number(self.low, value, self.element, self.span)
        assert isinstance(made, ir.Value)  # 0, 0.5 and 1 fit every type that these forms are for
        return made


def floor_divide_signed(low: Lowering, left: ir.Value, right: ir.Value, span: Span | None) -> ir.Value:
    """Div truncates; one less where the remainder is not zero and has the other sign. Never leaves the type's range."""
    op = _Writer(low, left, span)
    zero = op.number(0)
    quotient = op("Div", left, right)
    rest = op("Sub", left, op("Mul", quotient, right))
    inexact = op("Not", op("Equal", rest, zero))
    opposite = op("Xor", op("Less", rest, zero), op("Less", right, zero))
    lower = op("Where", op("And", inexact, opposite), op.number(1), zero)
    return op("Sub", quotient, lower)


def modulo_floats(low: Lowering, left: ir.Value, right: ir.Value, span: Span | None) -> ir.Value:
    """numpy's float remainder: fmod, moved to the divisor's sign, which a zero result takes too.

    The sign is multiplied in at the end, since onnxruntime's Where may lose that of a zero.
    """
    op = _Writer(low, left, span)
    rest, moved = _float_remainder(op, left, right)
    adjusted = op("Where", moved, op("Add", rest, right), rest)
    return op("Mul", op("Abs", adjusted), op("Sign", right))


def _float_remainder(op: _Writer, left: ir.Value, right: ir.Value) -> tuple[ir.Value, ir.Value]:
    """(fmod, whether it is not zero and has the other sign than the divisor)."""
    zero = op.number(0)
    rest = op("Mod", left, right, fmod=1)
    opposite = op("Xor", op("Less", rest, zero), op("Less", right, zero))
    return rest, op("And", op("Not", op("Equal", rest, zero)), opposite)


def floor_divide_floats(low: Lowering, left: ir.Value, right: ir.Value, span: Span | None) -> ir.Value:
    """numpy's float floor division: from the exact remainder, rounded to the nearest integer, not Floor(Div)."""
    op = _Writer(low, left, span)
    zero, one = op.number(0), op.number(1)
    rest, moved = _float_remainder(op, left, right)
    whole = op("Div", op("Sub", left, rest), right)
    whole = op("Where", moved, op("Sub", whole, one), whole)
    floor = op("Floor", whole)
    floor = op("Where", op("Greater", op("Sub", whole, floor), op.number(0.5)), op("Add", floor, one), floor)
    ratio = op("Div", left, right)
    quotient = op("Where", op("Equal", right, zero), ratio, floor)
    # A zero quotient has the sign of left / right, which may itself be a zero.
    sign = op("Where", op("Equal", whole, zero), op("Sign", op("Reciprocal", ratio)), op("Sign", quotient))
    return op("Mul", op("Abs", quotient), sign)


EXPANSIONS: dict[str, Expansion] = {
    "floor_divide_floats": floor_divide_floats,
    "floor_divide_signed": floor_divide_signed,
    "modulo_floats": modulo_floats,
}
