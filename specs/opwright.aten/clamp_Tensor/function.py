from opwright import BOOL, INT16, INT32, INT64
from opwright import opset18 as op


def clamp_Tensor(self, min=None, max=None):
    """Where the least value is above the greatest, the greatest one counts."""
    assert min is not None or max is not None
    if self.dtype == BOOL:
        assert min is None or max is None
        return self & max if min is None else self | min
    if self.dtype == INT64:  # runtimes compare int64 as int32 in Max and Min
        if min is not None:
            self = op.Where(self < min, min, self)
        return self if max is None else op.Where(self > max, max, self)
    x = op.Cast(self, to=INT32) if self.dtype == INT16 else self
    if min is not None:
        x = op.Max(x, op.Cast(min, to=INT32) if self.dtype == INT16 else min)
    if max is not None:
        x = op.Min(x, op.Cast(max, to=INT32) if self.dtype == INT16 else max)
    return op.Cast(x, to=INT16) if self.dtype == INT16 else x
