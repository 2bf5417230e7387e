from typing import Literal

from opwright import BOOL
from opwright import opset18 as op


def cdist(x1, x2, exponent=None, *, p: Literal["0", "1", "2", "inf"] = "2", rank: int):
    # The differences have a dimension more, of which the last one is reduced.
    return _norm(op.Unsqueeze(x1, [-2]) - op.Unsqueeze(x2, [-3]), op.Constant(value_ints=[rank]), p, exponent)


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
