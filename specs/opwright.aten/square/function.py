from opwright import BOOL, INT64
from opwright import opset18 as op


def square(self):
    return op.Cast(self, to=INT64) if self.dtype == BOOL else self * self
