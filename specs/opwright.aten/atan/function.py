from opwright import BFLOAT16, FLOAT
from opwright import opset18 as op


def atan(self):
    if self.dtype == BFLOAT16 and op.version < 22:
        return op.Cast(op.Atan(op.Cast(self, to=FLOAT)), to=BFLOAT16)
    return op.Atan(self)
