from opwright import BFLOAT16, DOUBLE, FLOAT, FLOAT16, UINT8
from opwright import opset18 as op


def floor_divide(self, other):
    if self.dtype == UINT8:
        return self / other
    if self.dtype == BFLOAT16:
        return op.Cast(_floor(op.Cast(self, to=FLOAT), op.Cast(other, to=FLOAT)), to=BFLOAT16)
    if self.dtype in (FLOAT16, FLOAT, DOUBLE):
        return _floor(self, other)
    return _floor_of_integers(self, other)


def _floor(x, y):
    """The quotient itself may be rounded up to an integer, so it is made of what divides evenly."""
    rest = op.Mod(x, y, fmod=1)
    even = op.Where(y == 0, x, x - rest)
    return op.Round(even / y) - op.CastLike(rest * op.Sign(y) < 0, x)


def _floor_of_integers(x, y):
    """One less than `Div`, which rounds towards 0, where the remainders of the two divisions differ."""
    quotient = x / y
    return quotient - (op.Mod(x, y) - (x - quotient * y)) / y
