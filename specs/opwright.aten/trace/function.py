from opwright import BFLOAT16, BOOL, FLOAT
from opwright import opset18 as op


def trace(self):
    x = op.Cast(self, to=FLOAT) if self.dtype == BFLOAT16 else self
    y = op.ReduceSum(op.Where(op.EyeLike(x, dtype=BOOL), x, 0), keepdims=0)
    return op.Cast(y, to=BFLOAT16) if self.dtype == BFLOAT16 else y
