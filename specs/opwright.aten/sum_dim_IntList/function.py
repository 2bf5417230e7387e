from collections.abc import Sequence

from opwright import opset18 as op


def sum_dim_IntList(self, dim: Sequence[int], keepdim: bool = False):
    return op.ReduceSum(self, op.Constant(value_ints=dim), keepdims=keepdim)
