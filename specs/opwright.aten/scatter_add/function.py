from typing import Literal

from opwright import BFLOAT16, FLOAT, FLOAT16
from opwright import opset18 as op


def scatter_add(self, index, src, dim: int, whole: Literal[False, True] = False):
    if not whole:
        size = op.Shape(index)
        src = op.Slice(src, size - size, size)
    if self.dtype not in (FLOAT16, BFLOAT16):
        return op.ScatterElements(self, index, src, axis=dim, reduction="add")
    y = op.ScatterElements(op.Cast(self, to=FLOAT), index, op.Cast(src, to=FLOAT), axis=dim, reduction="add")
    return op.CastLike(y, self)
