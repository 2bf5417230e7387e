import math

from opwright import BFLOAT16, DOUBLE, FLOAT
from opwright import opset18 as op


def asinh(self):
    if self.dtype == DOUBLE:
        return in_double(self)
    if self.dtype == BFLOAT16 and op.version < 22:
        return op.Cast(op.Asinh(op.Cast(self, to=FLOAT)), to=BFLOAT16)
    return op.Asinh(self)


def in_double(x):
    """For a runtime without Asinh in double: log(a + sqrt(a^2 + 1)) as the logarithm of 1 plus something small where a
    is, with a^2 / (1 + sqrt(a^2 + 1)) in a form that does not overflow."""
    a = op.Abs(x)
    r = 1 / a
    y = log1p(a + a / (r + op.Sqrt(r * r + 1)))
    return op.Sign(x) * op.Where(a < 1e100, y, op.Log(a) + math.log(2))


def log1p(t):
    u = t + 1
    return op.Log(u) + op.Where(t < 1, t - (u - 1), 0)
