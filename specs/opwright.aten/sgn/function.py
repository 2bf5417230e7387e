from opwright import BFLOAT16, BOOL, DOUBLE, FLOAT, FLOAT16, INT64
from opwright import opset18 as op


def sgn(self):
    if self.dtype == BOOL:
        return op.Identity(self)
    if self.dtype == INT64:  # kernels for it lose what is beyond int32
        return op.Cast(op.Sign(op.Cast(self, to=FLOAT)), to=INT64)
    if self.dtype in (FLOAT16, BFLOAT16, FLOAT, DOUBLE):
        return op.Where(op.IsNaN(self), 0, op.Sign(self))
    return op.Sign(self)
