from typing import Literal

from opwright import BFLOAT16, FLOAT
from opwright import opset18 as op


def kthvalue(self, k, dim: int = -1, keepdim: Literal[False, True] = False):
    x = op.Cast(self, to=FLOAT) if self.dtype == BFLOAT16 else self
    values, places = op.TopK(x, k, axis=dim, largest=False)
    last = [-1] if keepdim else -1
    y = op.Gather(values, last, axis=dim)
    return op.CastLike(y, self) if self.dtype == BFLOAT16 else y, op.Gather(places, last, axis=dim)
