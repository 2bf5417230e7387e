from collections.abc import Sequence

from opwright import BFLOAT16, FLOAT
from opwright import opset18 as op


def index_fill_int_Scalar(self, index, value, dim: int, column: Sequence[int]):
    shape = op.Shape(op.Gather(self, index, axis=dim))
    if self.dtype == BFLOAT16:
        parts = op.CastLike(op.Expand(op.Cast(value, to=FLOAT), shape), self)
    else:
        parts = op.Expand(value, shape)
    return op.ScatterElements(self, op.Expand(op.Reshape(index, column), shape), parts, axis=dim)
