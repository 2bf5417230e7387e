from opwright import BFLOAT16, BOOL, DOUBLE, FLOAT, FLOAT16, INT64
from opwright import opset18 as op


def local_scalar_dense(self):
    x = op.Squeeze(self)
    if self.dtype in (FLOAT16, BFLOAT16, FLOAT):
        return op.Cast(x, to=DOUBLE)
    return x if self.dtype in (DOUBLE, BOOL, INT64) else op.Cast(x, to=INT64)
