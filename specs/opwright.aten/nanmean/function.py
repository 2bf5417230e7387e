from collections.abc import Sequence

from opwright import BFLOAT16, FLOAT, FLOAT16
from opwright import opset18 as op


def nanmean(self, dim: Sequence[int], keepdim: bool = False):
    """In float of float16, whose sum may be infinite, and bfloat16."""
    x = op.Cast(self, to=FLOAT) if self.dtype in (FLOAT16, BFLOAT16) else self
    axes = op.Constant(value_ints=dim)
    absent = op.IsNaN(x)
    count = op.ReduceSum(op.CastLike(~absent, x), axes, keepdims=keepdim)
    y = op.ReduceSum(op.Where(absent, 0, x), axes, keepdims=keepdim) / count
    return op.CastLike(y, self) if self.dtype in (FLOAT16, BFLOAT16) else y
