from typing import Literal

from opwright import opset18 as op


def reshape(self, shape, *, keeps: Literal[0, 1] = 0):
    return op.Reshape(self, shape, allowzero=0 if keeps else 1)
