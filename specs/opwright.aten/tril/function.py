from opwright import BFLOAT16, FLOAT, INT8, INT16, INT32, UINT8
from opwright import opset18 as op


def tril(self, diagonal):
    if self.dtype in (UINT8, INT8, INT16):
        return op.CastLike(op.Trilu(op.Cast(self, to=INT32), diagonal, upper=0), self)
    if self.dtype == BFLOAT16:
        return op.CastLike(op.Trilu(op.Cast(self, to=FLOAT), diagonal, upper=0), self)
    return op.Trilu(self, diagonal, upper=0)
