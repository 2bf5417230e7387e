from opwright import BFLOAT16, DOUBLE, FLOAT
from opwright import opset18 as op


def atanh(self):
    if self.dtype == DOUBLE:
        return in_double(self)
    if self.dtype == BFLOAT16 and op.version < 22:
        return op.Cast(op.Atanh(op.Cast(self, to=FLOAT)), to=BFLOAT16)
    return op.Atanh(self)


def in_double(x):
    """For a runtime without Atanh in double: log((1 + a) / (1 - a)) as the logarithm of 1 plus something small where a
    is."""
    a = op.Abs(x)
    return op.Sign(x) * 0.5 * log1p((a + a) / (1 - a))


def log1p(t):
    u = t + 1
    return op.Log(u) + op.Where(t < 1, t - (u - 1), 0)
