from typing import Literal

from opwright import BFLOAT16, FLOAT, INT8, INT16, INT32, INT64, UINT8
from opwright import opset18 as op


def addmm(
    self,
    mat1,
    mat2,
    beta=None,
    alpha=None,
    *,
    gemm_beta: float = 1.0,
    gemm_alpha: float = 1.0,
    drops_self: Literal[0, 1] = 0,
):
    """A term whose factor is 0 is left out, whatever its elements are."""
    if self.dtype in (UINT8, INT8, INT16):
        # Wrapping around is the same in int32 and in the narrower type.
        y = op.CastLike(op.MatMul(op.Cast(mat1, to=INT32), op.Cast(mat2, to=INT32)), self)
    elif self.dtype in (INT32, INT64) or alpha is not None or beta is not None:
        y = op.MatMul(mat1, mat2)
    else:
        terms = [mat1, mat2] if drops_self else [mat1, mat2, self]
        if self.dtype == BFLOAT16:
            terms = [op.Cast(term, to=FLOAT) for term in terms]
        y = op.Gemm(*terms, alpha=gemm_alpha, beta=gemm_beta)
        return op.Cast(y, to=BFLOAT16) if self.dtype == BFLOAT16 else y
    if alpha is not None:
        y = y * alpha
    if drops_self:
        return y
    return y + (self if beta is None else self * beta)
