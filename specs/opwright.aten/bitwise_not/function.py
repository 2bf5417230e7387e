from opwright import BOOL
from opwright import opset18 as op


def bitwise_not(self):
    return op.Not(self) if self.dtype == BOOL else op.BitwiseNot(self)
