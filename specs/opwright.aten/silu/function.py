from opwright import DOUBLE
from opwright import opset18 as op


def silu(self):
    if self.dtype == DOUBLE:  # of which some runtimes' Sigmoid has few digits
        return self / (op.Exp(-self) + 1)
    return self * op.Sigmoid(self)
