from opwright import BFLOAT16, DOUBLE, FLOAT, FLOAT16, INT64
from opwright import opset18 as op


def clamp(self, min=None, max=None):
    """Where the least value is above the greatest, the greatest one counts."""
    assert min is not None or max is not None
    if self.dtype in (FLOAT16, BFLOAT16, FLOAT, DOUBLE):  # absent limits of Clip are finite to runtimes
        if min is None:
            return op.Min(self, max)
        if max is None:
            return op.Max(self, min)
    if self.dtype == INT64:  # runtimes compare int64 as int32 in Clip
        if min is not None:
            self = op.Where(self < min, min, self)
        return self if max is None else op.Where(self > max, max, self)
    return op.Clip(self, min) if max is None else op.Clip(self, min, max)
