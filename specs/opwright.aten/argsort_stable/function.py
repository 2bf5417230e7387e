from opwright import BFLOAT16, BOOL, FLOAT, UINT8
from opwright import opset18 as op


def argsort_stable(self, dim: int = -1, descending: bool = False):
    if self.dtype == BOOL:
        x = op.Cast(self, to=UINT8)
    elif self.dtype == BFLOAT16:
        x = op.Cast(self, to=FLOAT)
    else:
        x = self
    size = op.Gather(op.Shape(x), op.Constant(value_ints=[dim]))
    _, indices = op.TopK(x, size, axis=dim, largest=descending)
    return indices
