from collections.abc import Sequence

from opwright import BOOL, INT64
from opwright import opset18 as op


def count_nonzero_dim_IntList(self, dim: Sequence[int]):
    x = self if self.dtype == BOOL else op.Cast(self, to=BOOL)
    return op.ReduceSum(op.Cast(x, to=INT64), op.Constant(value_ints=dim), keepdims=False)
