from opwright import BFLOAT16, FLOAT, INT8, INT16, INT32, UINT8
from opwright import opset18 as op


def cumsum(self, dim: int):
    if self.dtype in (UINT8, INT8, INT16):
        return op.CastLike(op.CumSum(op.Cast(self, to=INT32), dim), self)
    if self.dtype == BFLOAT16:
        return op.CastLike(op.CumSum(op.Cast(self, to=FLOAT), dim), self)
    return op.CumSum(self, dim)
