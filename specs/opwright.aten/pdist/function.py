from typing import Literal

from opwright import BOOL
from opwright import opset18 as op


def pdist(self, exponent=None, *, p: Literal["0", "1", "2", "inf"] = "2"):
    distances = _norm(op.Unsqueeze(self, [1]) - op.Unsqueeze(self, [0]), [2], p, exponent)
    # Those right of the diagonal, row by row.
    chosen = op.Trilu(op.Expand(1, op.Shape(distances)), 1, upper=1)
    return op.Compress(distances, op.Reshape(op.Cast(chosen, to=BOOL), [-1]))


def _norm(x, axes, p, exponent):
    if exponent is not None:
        return op.Pow(op.ReduceSum(op.Pow(op.Abs(x), exponent), axes, keepdims=0), 1 / exponent)
    if p == "0":
        return op.ReduceSum(op.CastLike(op.Cast(x, to=BOOL), x), axes, keepdims=0)
    if p == "1":
        return op.ReduceL1(x, axes, keepdims=0)
    if p == "2":
        return op.ReduceL2(x, axes, keepdims=0)
    return op.ReduceMax(op.Abs(x), axes, keepdims=0)
