"""Operators that ONNX has no single operator for, written out by numpy's algorithm."""

from __future__ import annotations

from collections.abc import Callable

from opwright.lang import ir
from opwright.lang.lower.nodes.primitives import Writer, typed
from opwright.lang.lower.numbers.number_operands import convert_number
from opwright.lang.lower.state.context import Lowering
from opwright.lang.meaning.operands import is_tensor
from opwright.lang.text.source import Span

Expansion = Callable[[Lowering, ir.Value, ir.Value, Span | None], ir.Value]


class _Writer(Writer):
    """Writes primitives, and numbers as tensors of one element type."""

    def __init__(self, low: Lowering, like: ir.Value, span: Span | None) -> None:
        super().__init__(low, span)
        assert is_tensor(like)
        self.element = like.type.element

    def number(self, value: float) -> ir.Value:
        """0, 0.5 and 1 fit every type that these forms are for."""
        return convert_number(self.low, value, self.element, self.span)


def floor_divide_signed(low: Lowering, left: ir.Value, right: ir.Value, span: Span | None) -> ir.Value:
    """Div truncates; one less where the remainder is not zero and has the other sign. Never leaves the type's range."""
    op = _Writer(low, left, span)
    zero = op.number(0)
    quotient = op.div(left, right)
    rest = op.sub(left, op.mul(quotient, right))
    inexact = op.not_(op.equal(rest, zero))
    opposite = op.xor(op.less(rest, zero), op.less(right, zero))
    lower = op.where(op.and_(inexact, opposite), op.number(1), zero)
    return op.sub(quotient, lower)


def modulo_floats(low: Lowering, left: ir.Value, right: ir.Value, span: Span | None) -> ir.Value:
    """numpy's float remainder: fmod, moved to the divisor's sign, which a zero result takes too.

    The sign is multiplied in at the end, since onnxruntime's Where may lose that of a zero.
    """
    op = _Writer(low, left, span)
    rest, moved = _float_remainder(op, left, right)
    adjusted = op.where(moved, op.add(rest, right), rest)
    return op.mul(op.abs(adjusted), op.sign(right))


def _float_remainder(op: _Writer, left: ir.Value, right: ir.Value) -> tuple[ir.Value, ir.Value]:
    """(fmod, whether it is not zero and has the other sign than the divisor)."""
    zero = op.number(0)
    rest = op.mod(left, right, fmod=1)
    opposite = op.xor(op.less(rest, zero), op.less(right, zero))
    return rest, op.and_(op.not_(op.equal(rest, zero)), opposite)


def floor_divide_floats(low: Lowering, left: ir.Value, right: ir.Value, span: Span | None) -> ir.Value:
    """numpy's float floor division: from the exact remainder, rounded to the nearest integer, not Floor(Div)."""
    op = _Writer(low, left, span)
    zero, one = op.number(0), op.number(1)
    rest, moved = _float_remainder(op, left, right)
    whole = op.div(op.sub(left, rest), right)
    whole = op.where(moved, op.sub(whole, one), whole)
    floor = op.floor(whole)
    floor = op.where(op.greater(op.sub(whole, floor), op.number(0.5)), op.add(floor, one), floor)
    ratio = op.div(left, right)
    quotient = op.where(op.equal(right, zero), ratio, floor)
    # A zero quotient has the sign of left / right, which may itself be a zero.
    sign = op.where(op.equal(whole, zero), op.sign(op.reciprocal(ratio)), op.sign(quotient))
    return op.mul(op.abs(quotient), sign)


def floor_divide_halves(low: Lowering, left: ir.Value, right: ir.Value, span: Span | None) -> ir.Value:
    """That of floats, as numpy computes it: in halves the rounding of `left - rest` moves a large quotient."""
    op = Writer(low, span)
    assert is_tensor(left)
    element, single = ir.known_element(left.type.element), low.element_of("float")
    assert element is not None
    first, second = (typed(op.cast(value, single), single, value.type.shape) for value in (left, right))
    return op.cast(floor_divide_floats(low, first, second, span), element)


EXPANSIONS: dict[str, Expansion] = {
    "floor_divide_floats": floor_divide_floats,
    "floor_divide_halves": floor_divide_halves,
    "floor_divide_signed": floor_divide_signed,
    "modulo_floats": modulo_floats,
}
