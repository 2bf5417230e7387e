from typing import Literal

from opwright import BFLOAT16, FLOAT, FLOAT16
from opwright import opset18 as op


def scatter_reduce(
    self, index, src, dim: int, *, reduce: Literal["add", "multiply"], whole: Literal[False, True] = False
):
    if not whole:
        size = op.Shape(index)
        src = op.Slice(src, size - size, size)
    how = "add" if reduce == "add" else "mul"
    if self.dtype not in (FLOAT16, BFLOAT16):
        return op.ScatterElements(self, index, src, axis=dim, reduction=how)
    y = op.ScatterElements(op.Cast(self, to=FLOAT), index, op.Cast(src, to=FLOAT), axis=dim, reduction=how)
    return op.CastLike(y, self)
