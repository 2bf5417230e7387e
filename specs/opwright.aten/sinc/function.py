import math

from opwright import BFLOAT16, FLOAT, FLOAT16
from opwright import opset18 as op


def sinc(self):
    if self.dtype in (FLOAT16, BFLOAT16):
        return op.Cast(value(op.Cast(self, to=FLOAT)), to=self.dtype)
    return value(self)


def value(x):
    y = x * math.pi
    return op.Where(x == 0, 1, op.Sin(y) / y)
