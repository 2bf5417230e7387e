from opwright import BFLOAT16, DOUBLE, FLOAT, FLOAT16
from opwright import opset18 as op


def trunc(self):
    if self.dtype in (FLOAT16, BFLOAT16, FLOAT, DOUBLE):
        return op.Sign(self) * op.Floor(op.Abs(self))
    return op.Identity(self)
