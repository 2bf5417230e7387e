from opwright import BFLOAT16, DOUBLE, FLOAT, FLOAT16
from opwright import opset18 as op


def round(self):
    if self.dtype == BFLOAT16 and op.version < 22:
        return op.Cast(op.Round(op.Cast(self, to=FLOAT)), to=BFLOAT16)
    if self.dtype in (FLOAT16, BFLOAT16, FLOAT, DOUBLE):
        return op.Round(self)
    return op.Identity(self)
