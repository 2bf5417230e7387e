import math
from typing import Literal

from opwright import BFLOAT16, DOUBLE, FLOAT, FLOAT16
from opwright import opset18 as op


def isclose(self, other, rtol, atol, equal_nan: Literal[0, 1] = 0):
    close, x, y = self == other, self, other
    if self.dtype not in (FLOAT16, BFLOAT16, FLOAT, DOUBLE):
        x, y = op.Cast(x, to=FLOAT), op.Cast(y, to=FLOAT)
    elif equal_nan:
        close = close | (op.IsNaN(x) & op.IsNaN(y))
    apart = op.Abs(x - y)
    allowed = op.CastLike(atol, y) + op.Abs(op.CastLike(rtol, y) * y)
    return close | ((apart <= allowed) & (apart < math.inf))
