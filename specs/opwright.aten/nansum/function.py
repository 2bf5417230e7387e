from collections.abc import Sequence

from opwright import BFLOAT16, BOOL, FLOAT, INT8, INT16, INT32, INT64, UINT8
from opwright import opset18 as op

from ..sum.function import sum_of_integers


def nansum(self, dim: Sequence[int], keepdim: bool = False):
    """Of truth values it is whether one is true."""
    axes = op.Constant(value_ints=dim)
    if self.dtype == BOOL:
        return op.Cast(op.ReduceMax(op.Cast(self, to=UINT8), axes, keepdims=keepdim), to=BOOL)
    if self.dtype in (UINT8, INT8, INT16, INT32, INT64):
        return sum_of_integers(self, lambda x: op.ReduceSum(x, axes, keepdims=keepdim))
    x = op.Cast(self, to=FLOAT) if self.dtype == BFLOAT16 else self
    y = op.ReduceSum(op.Where(op.IsNaN(x), 0, x), axes, keepdims=keepdim)
    return op.CastLike(y, self) if self.dtype == BFLOAT16 else y
