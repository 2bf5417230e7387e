from opwright import BFLOAT16, FLOAT
from opwright import opset18 as op


def fill_Tensor(self, value):
    if value.dtype == BFLOAT16:
        return op.CastLike(op.Expand(op.Cast(value, to=FLOAT), op.Shape(self)), value)
    return op.Expand(value, op.Shape(self))
