from typing import Literal

from opwright import BFLOAT16, BOOL, FLOAT, INT8, INT16, INT32, INT64, UINT8
from opwright import opset18 as op


def addr(self, vec1, vec2, beta=None, alpha=None, *, drops_self: Literal[0, 1] = 0):
    """A term of floating point whose factor is 0 is left out, whatever its elements are."""
    column = op.Unsqueeze(vec1, [1])
    if self.dtype == BOOL:
        y = column & vec2
        return (self if beta is None else self & beta) | (y if alpha is None else y & alpha)
    if self.dtype in (UINT8, INT8, INT16, INT32, INT64):
        return _sum(self, column * vec2, beta, alpha)
    if self.dtype == BFLOAT16:
        y = op.Cast(column, to=FLOAT) * op.Cast(vec2, to=FLOAT)
        x = None if drops_self else op.Cast(self, to=FLOAT)
        return op.Cast(_sum(x, y, _single(beta), _single(alpha)), to=BFLOAT16)
    return _sum(None if drops_self else self, column * vec2, beta, alpha)


def _single(factor):
    return None if factor is None else op.Cast(factor, to=FLOAT)


def _sum(x, y, beta, alpha):
    if alpha is not None:
        y = y * alpha
    if x is None:
        return y
    return y + (x if beta is None else x * beta)
