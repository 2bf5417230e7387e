from collections.abc import Sequence

from opwright import BFLOAT16, FLOAT
from opwright import opset18 as op


def logsumexp(self, dim: Sequence[int], keepdim: bool = False):
    axes = op.Constant(value_ints=dim)
    if self.dtype == BFLOAT16:
        return op.CastLike(op.ReduceLogSumExp(op.Cast(self, to=FLOAT), axes, keepdims=keepdim), self)
    return op.ReduceLogSumExp(self, axes, keepdims=keepdim)
