from opwright import BFLOAT16, FLOAT, FLOAT16
from opwright import opset18 as op


def isposinf(self):
    x = op.Cast(self, to=FLOAT) if self.dtype in (FLOAT16, BFLOAT16) and op.version < 20 else self
    return op.IsInf(x, detect_negative=0)
