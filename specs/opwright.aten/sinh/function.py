import math

from opwright import BFLOAT16, DOUBLE, FLOAT
from opwright import opset18 as op


def sinh(self):
    if self.dtype == DOUBLE:
        return in_double(self)
    if self.dtype == BFLOAT16 and op.version < 22:
        return op.Cast(op.Sinh(op.Cast(self, to=FLOAT)), to=BFLOAT16)
    return op.Sinh(self)


def in_double(x):
    """For a runtime without Sinh in double. Below 1 it is (m + m / u) / 2 with m = exp(a) - 1, where a - log(u) puts
    the rounding of exp(a) right. Above, the exponent is less by 2, so that exp does not overflow before sinh."""
    a = op.Abs(x)
    u = op.Exp(a)
    m = (u - 1) + u * (a - op.Log(u))
    e = op.Exp(a - 2)
    y = op.Where(a < 1, (m + m / u) * 0.5, e * (math.exp(2) / 2) - (math.exp(-2) / 2) / e)
    return op.Sign(x) * y
