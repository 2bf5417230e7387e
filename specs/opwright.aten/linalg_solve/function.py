from typing import Literal

from opwright import DOUBLE
from opwright import opset18 as op

from ..linalg_inv.function import solved


def linalg_solve(A, B, *, left: Literal[True, False] = True, vector: Literal[False, True] = False):
    x, right = op.Cast(A, to=DOUBLE), op.Cast(B, to=DOUBLE)
    if vector:
        right = op.Unsqueeze(right, [-1 if left else -2])
    if not left:
        x, right = _transposed(x), _transposed(right)
    # Dimensions before the matrices are broadcast.
    before = op.Expand(op.ConstantOfShape(op.Shape(x, end=-2)), op.Shape(right, end=-2))
    x = op.Expand(x, op.Concat(op.Shape(before), [1, 1], axis=0))
    right = op.Expand(right, op.Concat(op.Shape(before), [1, 1], axis=0))
    y = solved(x, right)
    if not left:
        y = _transposed(y)
    if vector:
        y = op.Squeeze(y, [-1 if left else -2])
    return op.CastLike(y, A)


def _transposed(x):
    return op.Einsum(x, equation="...ij->...ji")
