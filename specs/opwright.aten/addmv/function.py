from typing import Literal

from opwright import BFLOAT16, FLOAT, INT8, INT16, INT32, INT64, UINT8
from opwright import opset18 as op


def addmv(self, mat, vec, beta=None, alpha=None, *, drops_self: Literal[0, 1] = 0):
    """A term of floating point whose factor is 0 is left out, whatever its elements are."""
    if self.dtype in (UINT8, INT8, INT16):
        # Wrapping around is the same in int32 and in the narrower type.
        y = op.CastLike(_product(op.Cast(mat, to=INT32), op.Cast(vec, to=INT32)), self)
        return _sum(self, y, beta, alpha)
    if self.dtype in (INT32, INT64):
        return _sum(self, _product(mat, vec), beta, alpha)
    if self.dtype == BFLOAT16:
        y = _product(op.Cast(mat, to=FLOAT), op.Cast(vec, to=FLOAT))
        x = None if drops_self else op.Cast(self, to=FLOAT)
        return op.Cast(_sum(x, y, _single(beta), _single(alpha)), to=BFLOAT16)
    return _sum(None if drops_self else self, _product(mat, vec), beta, alpha)


def _single(factor):
    return None if factor is None else op.Cast(factor, to=FLOAT)


def _product(matrix, vector):
    # Not MatMul, of which onnxruntime leaves the results as they lie in memory where a vector has no elements.
    return op.Einsum(matrix, vector, equation="ij,j->i")


def _sum(x, y, beta, alpha):
    if alpha is not None:
        y = y * alpha
    if x is None:
        return y
    return y + (x if beta is None else x * beta)
