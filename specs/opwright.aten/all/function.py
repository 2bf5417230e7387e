from opwright import BOOL, UINT8
from opwright import opset18 as op


def all(self):
    """For uint8 the result is uint8 as well, 0 or 1; otherwise it is bool."""
    x = self if self.dtype == BOOL else op.Cast(self, to=BOOL)
    y = op.Cast(op.ReduceMin(op.Cast(x, to=UINT8), keepdims=False), to=BOOL)
    return op.Cast(y, to=UINT8) if self.dtype == UINT8 else y
