from collections.abc import Sequence

from opwright import BFLOAT16, FLOAT
from opwright import opset18 as op


def mean_dim(self, dim: Sequence[int], keepdim: bool = False):
    axes = op.Constant(value_ints=dim)
    if self.dtype == BFLOAT16:
        return op.CastLike(op.ReduceMean(op.Cast(self, to=FLOAT), axes, keepdims=keepdim), self)
    return op.ReduceMean(self, axes, keepdims=keepdim)
