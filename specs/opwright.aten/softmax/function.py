from typing import Literal

from opwright import FLOAT
from opwright import opset18 as op


def softmax(self, dim: int, half_to_float: Literal[False, True] = False):
    if half_to_float:
        return op.Softmax(op.Cast(self, to=FLOAT), axis=dim)
    return op.Softmax(self, axis=dim)
