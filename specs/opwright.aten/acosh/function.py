import math

from opwright import BFLOAT16, DOUBLE, FLOAT
from opwright import opset18 as op


def acosh(self):
    if self.dtype == DOUBLE:
        return in_double(self)
    if self.dtype == BFLOAT16 and op.version < 22:
        return op.Cast(op.Acosh(op.Cast(self, to=FLOAT)), to=BFLOAT16)
    return op.Acosh(self)


def in_double(x):
    """For a runtime without Acosh in double: log(x + sqrt(x^2 - 1)) as the logarithm of 1 plus something small where x
    is near 1."""
    y = x - 1
    y = log1p(y + op.Sqrt(y) * op.Sqrt(y + 2))
    return op.Where(x < 1e100, y, op.Log(x) + math.log(2))


def log1p(t):
    u = t + 1
    return op.Log(u) + op.Where(t < 1, t - (u - 1), 0)
