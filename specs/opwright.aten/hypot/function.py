import math

from opwright import DOUBLE
from opwright import opset18 as op


def hypot(self, other):
    """Of double the legs are divided by the longer one, since their squares may be beyond the type."""
    if self.dtype == DOUBLE:
        return _hypot(op.Abs(self), op.Abs(other))
    x, y = op.Cast(self, to=DOUBLE), op.Cast(other, to=DOUBLE)
    length = op.CastLike(op.Sqrt(x * x + y * y), self)
    return op.Where((op.Abs(self) == math.inf) | (op.Abs(other) == math.inf), math.inf, length)


def _hypot(x, y):
    longer, shorter = op.Max(x, y), op.Min(x, y)
    share = shorter / op.Where(longer == 0, 1, longer)
    length = longer * op.Sqrt(share * share + 1)
    return op.Where((x == math.inf) | (y == math.inf), math.inf, length)
