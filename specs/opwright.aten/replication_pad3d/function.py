from opwright import BFLOAT16, FLOAT, INT16, INT32
from opwright import opset18 as op


def replication_pad3d(self, padding):
    if self.dtype not in (BFLOAT16, INT16):
        return op.Pad(self, padding, mode="edge")
    wide = op.Cast(self, to=FLOAT if self.dtype == BFLOAT16 else INT32)
    return op.CastLike(op.Pad(wide, padding, mode="edge"), self)
