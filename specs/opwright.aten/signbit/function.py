from opwright import BFLOAT16, BOOL, DOUBLE, FLOAT, FLOAT16
from opwright import opset18 as op


def signbit(self):
    if self.dtype == BOOL:
        return op.Xor(self, self)
    if self.dtype in (FLOAT16, BFLOAT16, FLOAT, DOUBLE):
        return op.Or(self < 0, op.Reciprocal(self) < 0)  # which tells -0 from 0
    return self < 0
