from opwright import BFLOAT16, BOOL, DOUBLE, FLOAT, FLOAT16, INT16, INT32, INT64
from opwright import opset18 as op


def fmin(self, other):
    if self.dtype == BOOL:
        return self & other
    if self.dtype in (FLOAT16, BFLOAT16, FLOAT, DOUBLE):
        return op.Where((self < other) | op.IsNaN(other), self, other)
    if self.dtype == INT64:  # runtimes compare int64 as int32 in Min
        return op.Where(self < other, self, other)
    if self.dtype == INT16:
        return op.Cast(op.Min(op.Cast(self, to=INT32), op.Cast(other, to=INT32)), to=INT16)
    return op.Min(self, other)
