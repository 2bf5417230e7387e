from opwright import BOOL, INT64
from opwright import opset18 as op


def count_nonzero(self, dim: int | None = None):
    x = self if self.dtype == BOOL else op.Cast(self, to=BOOL)
    return op.ReduceSum(op.Cast(x, to=INT64), None if dim is None else op.Constant(value_ints=[dim]), keepdims=False)
