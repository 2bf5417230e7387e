import math
from typing import Literal

from opwright import BFLOAT16, DOUBLE, FLOAT, FLOAT16, INT64
from opwright import opset18 as op


def nanmedian_dim(self, dim: int, keepdim: Literal[False, True] = False):
    """nan is put last as infinity; alone it is the median."""
    x = op.Cast(self, to=FLOAT) if self.dtype == BFLOAT16 else self
    axes = op.Constant(value_ints=[dim])
    size = op.Gather(op.Shape(x), axes)
    if self.dtype not in (FLOAT16, BFLOAT16, FLOAT, DOUBLE):
        values, places = op.TopK(x, (size + 1) / 2, axis=dim, largest=False)
        last = [-1] if keepdim else -1
        return op.Gather(values, last, axis=dim), op.Gather(places, last, axis=dim)
    absent = op.IsNaN(x)
    count = op.ReduceSum(op.Cast(~absent, to=INT64), axes)
    values, places = op.TopK(op.Where(absent, math.inf, x), size, axis=dim, largest=False)
    middle = op.Max(count - 1, 0) / 2
    value = op.Where(count == 0, math.nan, op.GatherElements(values, middle, axis=dim))
    place = op.GatherElements(places, middle, axis=dim)
    if not keepdim:
        value, place = op.Squeeze(value, axes), op.Squeeze(place, axes)
    return op.CastLike(value, self) if self.dtype == BFLOAT16 else value, place
