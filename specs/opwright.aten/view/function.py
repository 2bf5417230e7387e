from typing import Literal

from opwright import opset18 as op


def view(self, size, *, keeps: Literal[0, 1] = 0):
    return op.Reshape(self, size, allowzero=0 if keeps else 1)
