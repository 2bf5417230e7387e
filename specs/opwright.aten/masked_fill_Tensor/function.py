from opwright import BFLOAT16, BOOL, FLOAT, INT16, INT32
from opwright import opset18 as op


def masked_fill_Tensor(self, mask, value):
    if self.dtype == BOOL:
        return (self & ~mask) | (mask & value)
    if self.dtype in (INT16, BFLOAT16):  # as runtimes can choose
        wide = INT32 if self.dtype == INT16 else FLOAT
        return op.CastLike(op.Where(mask, op.Cast(value, to=wide), op.Cast(self, to=wide)), self)
    return op.Where(mask, value, self)
