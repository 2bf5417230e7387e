import math

from opwright import BFLOAT16, DOUBLE, FLOAT
from opwright import opset18 as op


def cosh(self):
    if self.dtype == DOUBLE:
        return in_double(self)
    if self.dtype == BFLOAT16 and op.version < 22:
        return op.Cast(op.Cosh(op.Cast(self, to=FLOAT)), to=BFLOAT16)
    return op.Cosh(self)


def in_double(x):
    """For a runtime without Cosh in double. The exponent is less by 2, so that exp does not overflow before cosh."""
    e = op.Exp(op.Abs(x) - 2)
    return e * (math.exp(2) / 2) + (math.exp(-2) / 2) / e
