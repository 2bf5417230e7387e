from opwright import BFLOAT16, FLOAT
from opwright import opset18 as op


def sinh(self):
    if self.dtype == BFLOAT16 and op.version < 22:
        return op.Cast(op.Sinh(op.Cast(self, to=FLOAT)), to=BFLOAT16)
    return op.Sinh(self)
