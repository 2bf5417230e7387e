from collections.abc import Sequence

from opwright import INT8, INT16, INT32, INT64, UINT8
from opwright import opset18 as op

from ..sum.function import sum_of_integers


def sum_dim_IntList(self, dim: Sequence[int], keepdim: bool = False):
    axes = op.Constant(value_ints=dim)
    if self.dtype in (UINT8, INT8, INT16, INT32, INT64):
        return sum_of_integers(self, lambda x: op.ReduceSum(x, axes, keepdims=keepdim))
    return op.ReduceSum(self, axes, keepdims=keepdim)
