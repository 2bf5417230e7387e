from opwright import BFLOAT16, FLOAT, INT8, INT16, INT32, UINT8
from opwright import opset18 as op


def inner(self, other, *, equation: str):
    if self.dtype == BFLOAT16:
        y = op.Einsum(op.Cast(self, to=FLOAT), op.Cast(other, to=FLOAT), equation=equation)
        return op.Cast(y, to=BFLOAT16)
    if self.dtype in (UINT8, INT8, INT16):
        # Wrapping around is the same in int32 and in the narrower type.
        y = op.Einsum(op.Cast(self, to=INT32), op.Cast(other, to=INT32), equation=equation)
        return op.CastLike(y, self)
    return op.Einsum(self, other, equation=equation)
