from opwright import BFLOAT16, BOOL, FLOAT, INT16, INT32, INT64, UINT8
from opwright import opset18 as op


def unique_dim(self, dim: int):
    if self.dtype in (BOOL, UINT8, INT16, INT32):
        x = op.Cast(self, to=INT64)
    elif self.dtype == BFLOAT16:
        x = op.Cast(self, to=FLOAT)
    else:
        x = self
    values, _, inverse, counts = op.Unique(x, axis=dim)
    if self.dtype in (BOOL, UINT8, INT16, INT32, BFLOAT16):
        values = op.CastLike(values, self)
    return values, inverse, counts
