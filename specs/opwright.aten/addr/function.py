from typing import Literal

from opwright import BFLOAT16, BOOL, FLOAT
from opwright import opset18 as op


def addr(self, vec1, vec2, beta=None, alpha=None, *, drops_self: Literal[0, 1] = 0):
    """A term whose factor is 0 is left out, whatever its elements are."""
    if self.dtype == BOOL:
        y = op.Unsqueeze(vec1, [1]) & vec2
        y = y if alpha is None else y & alpha
        return y if drops_self else self | y
    if self.dtype == BFLOAT16:
        y = _sum(op.Cast(self, to=FLOAT), op.Cast(vec1, to=FLOAT), op.Cast(vec2, to=FLOAT), beta, alpha, drops_self)
        return op.Cast(y, to=BFLOAT16)
    return _sum(self, vec1, vec2, beta, alpha, drops_self)


def _sum(x, vec1, vec2, beta, alpha, drops_self):
    y = op.Unsqueeze(vec1, [1]) * vec2
    if alpha is not None:
        y = y * op.CastLike(alpha, y)
    if drops_self:
        return y
    return y + (x if beta is None else x * op.CastLike(beta, x))
