from opwright import BFLOAT16, DOUBLE, FLOAT, FLOAT16
from opwright import opset18 as op

from ..softplus.function import below_0


def logaddexp(self, other):
    if self.dtype in (FLOAT16, BFLOAT16):
        return op.CastLike(_log_of_sum(op.Cast(self, to=FLOAT), op.Cast(other, to=FLOAT)), self)
    return _log_of_sum(self, other)


def _log_of_sum(x, y):
    """The greater one and a small logarithm; infinities that are equal have no difference."""
    apart = op.Abs(op.Where(x == y, 0, x - y))
    return op.Max(x, y) + (below_0(-apart) if x.dtype == DOUBLE else op.Softplus(-apart))
