from opwright import UINT8
from opwright import opset18 as op


def neg(self):
    return 0 - self if self.dtype == UINT8 else op.Neg(self)
