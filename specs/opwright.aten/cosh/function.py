from opwright import BFLOAT16, FLOAT
from opwright import opset18 as op


def cosh(self):
    if self.dtype == BFLOAT16 and op.version < 22:
        return op.Cast(op.Cosh(op.Cast(self, to=FLOAT)), to=BFLOAT16)
    return op.Cosh(self)
