from typing import Literal

from opwright import BFLOAT16, FLOAT
from opwright import opset18 as op


def median_dim(self, dim: int, keepdim: Literal[False, True] = False):
    x = op.Cast(self, to=FLOAT) if self.dtype == BFLOAT16 else self
    size = op.Gather(op.Shape(x), op.Constant(value_ints=[dim]))
    values, places = op.TopK(x, (size + 1) / 2, axis=dim, largest=False)
    last = [-1] if keepdim else -1
    y = op.Gather(values, last, axis=dim)
    return op.CastLike(y, self) if self.dtype == BFLOAT16 else y, op.Gather(places, last, axis=dim)
