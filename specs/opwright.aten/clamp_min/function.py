from opwright import INT16, INT32, INT64
from opwright import opset18 as op


def clamp_min(self, min):
    if self.dtype == INT64:  # runtimes compare int64 as int32 in Max
        return op.Where(self < min, min, self)
    if self.dtype == INT16:
        return op.Cast(op.Max(op.Cast(self, to=INT32), op.Cast(min, to=INT32)), to=INT16)
    return op.Max(self, min)
