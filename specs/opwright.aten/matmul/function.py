from opwright import BFLOAT16, FLOAT, INT8, INT16, INT32, UINT8
from opwright import opset18 as op


def matmul(self, other):
    if self.dtype == BFLOAT16:
        return op.Cast(op.MatMul(op.Cast(self, to=FLOAT), op.Cast(other, to=FLOAT)), to=BFLOAT16)
    if self.dtype in (UINT8, INT8, INT16):
        # Wrapping around is the same in int32 and in the narrower type.
        return op.CastLike(op.MatMul(op.Cast(self, to=INT32), op.Cast(other, to=INT32)), self)
    return op.MatMul(self, other)
