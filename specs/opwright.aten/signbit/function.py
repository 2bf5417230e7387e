from opwright import BFLOAT16, BOOL, DOUBLE, FLOAT, FLOAT16, INT16, INT32, INT64
from opwright import opset18 as op


def signbit(self):
    if self.dtype == BOOL:
        return op.Xor(self, self)
    if self.dtype not in (FLOAT16, BFLOAT16, FLOAT, DOUBLE):
        return self < 0
    if op.version >= 26:
        integer = INT64 if self.dtype == DOUBLE else INT32 if self.dtype == FLOAT else INT16
        return op.BitCast(self, to=integer) < 0
    return op.Or(self < 0, op.Reciprocal(self) < 0)  # which tells -0 from 0
