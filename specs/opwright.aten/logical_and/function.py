from opwright import BOOL
from opwright import opset18 as op


def logical_and(self, other):
    return _truth(self) & _truth(other)


def _truth(x):
    return x if x.dtype == BOOL else op.Cast(x, to=BOOL)
