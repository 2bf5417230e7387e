from typing import Literal

from opwright import BFLOAT16, DOUBLE, FLOAT, FLOAT16, UINT8
from opwright import opset18 as op


def div_Scalar_mode(self, other, *, rounding_mode: Literal["trunc", "floor"] | None = None):
    if rounding_mode is None:
        if self.dtype in (FLOAT16, BFLOAT16, FLOAT, DOUBLE):
            return self / other
        return op.Cast(self, to=FLOAT) / op.Cast(other, to=FLOAT)
    if self.dtype in (FLOAT16, BFLOAT16, FLOAT, DOUBLE):
        if rounding_mode == "trunc":
            return _trunc(self / other)
        if self.dtype == BFLOAT16:
            return op.Cast(_floor(op.Cast(self, to=FLOAT), op.Cast(other, to=FLOAT)), to=BFLOAT16)
        return _floor(self, other)
    if rounding_mode == "trunc" or self.dtype == UINT8:
        return self / other
    return _floor_of_integers(self, other)


def _trunc(x):
    return op.Where(x < 0, op.Ceil(x), op.Floor(x))


def _floor(x, y):
    """The quotient itself may be rounded up to an integer, so it is made of what divides evenly."""
    rest = op.Mod(x, y, fmod=1)
    even = op.Where(y == 0, x, x - rest)
    return op.Round(even / y) - op.CastLike(rest * op.Sign(y) < 0, x)


def _floor_of_integers(x, y):
    """One less than `Div`, which rounds towards 0, where the remainders of the two divisions differ."""
    quotient = x / y
    return quotient - (op.Mod(x, y) - (x - quotient * y)) / y
