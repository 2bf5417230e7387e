from opwright import BFLOAT16, FLOAT, FLOAT16
from opwright import opset18 as op


def isinf(self):
    if self.dtype in (FLOAT16, BFLOAT16) and op.version < 20:
        return op.IsInf(op.Cast(self, to=FLOAT))
    return op.IsInf(self)
