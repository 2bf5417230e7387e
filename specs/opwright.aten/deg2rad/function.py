import math

from opwright import BFLOAT16, FLOAT, FLOAT16
from opwright import opset18 as op


def deg2rad(self):
    if self.dtype in (FLOAT16, BFLOAT16):
        return op.Cast(value(op.Cast(self, to=FLOAT)), to=self.dtype)
    return value(self)


def value(x):
    return x * (math.pi / 180)
