from opwright import BFLOAT16, BOOL, FLOAT, INT16, INT32, UINT8
from opwright import opset18 as op


def max(self):
    if self.dtype == BOOL:
        x = op.Cast(self, to=UINT8)
    elif self.dtype == INT16:
        x = op.Cast(self, to=INT32)
    elif self.dtype == BFLOAT16:
        x = op.Cast(self, to=FLOAT)
    else:
        x = self
    y = op.ReduceMax(x, keepdims=False)
    return op.CastLike(y, self) if self.dtype in (BOOL, INT16, BFLOAT16) else y
