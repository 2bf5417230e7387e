from opwright import INT16, INT32, INT64
from opwright import opset18 as op


def clamp_max(self, max):
    if self.dtype == INT64:  # runtimes compare int64 as int32 in Min
        return op.Where(self > max, max, self)
    if self.dtype == INT16:
        return op.Cast(op.Min(op.Cast(self, to=INT32), op.Cast(max, to=INT32)), to=INT16)
    return op.Min(self, max)
