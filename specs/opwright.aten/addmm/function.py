from typing import Literal

from opwright import BFLOAT16, FLOAT, INT8, INT16, INT32, INT64, UINT8
from opwright import opset18 as op


def addmm(self, mat1, mat2, beta=None, alpha=None, *, drops_self: Literal[0, 1] = 0):
    """A term of floating point whose factor is 0 is left out, whatever its elements are."""
    if self.dtype in (UINT8, INT8, INT16, INT32, INT64):
        if self.dtype in (UINT8, INT8, INT16):
            # Wrapping around is the same in int32 and in the narrower type.
            y = op.CastLike(op.MatMul(op.Cast(mat1, to=INT32), op.Cast(mat2, to=INT32)), self)
        else:
            y = op.MatMul(mat1, mat2)
        return (y if alpha is None else y * alpha) + (self if beta is None else self * beta)
    terms = [mat1 if alpha is None else mat1 * alpha, mat2]
    if not drops_self:
        terms = [*terms, self if beta is None else self * beta]
    if self.dtype == BFLOAT16:
        return op.Cast(op.Gemm(*[op.Cast(term, to=FLOAT) for term in terms]), to=BFLOAT16)
    return op.Gemm(*terms)
