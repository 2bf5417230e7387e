from typing import Literal

from opwright import BFLOAT16, BOOL, FLOAT, FLOAT16
from opwright import opset18 as op


def pairwise_distance(
    x1, x2, eps, exponent=None, *, p: Literal["0", "1", "2", "inf", "-inf"] = "2", keepdim: bool = False, axis: int
):
    """In float of float16 and bfloat16, whose powers are soon infinite or 0."""
    x = x1 - x2 + op.CastLike(eps, x1)
    if x1.dtype in (FLOAT16, BFLOAT16):
        x = op.Cast(x, to=FLOAT)
    y = norm(x, op.Constant(value_ints=[axis]), keepdim, p, exponent)
    return op.CastLike(y, x1) if x1.dtype in (FLOAT16, BFLOAT16) else y


def norm(x, axes, keepdims, ord, p):
    if p is not None:
        exponent = op.CastLike(p, x)
        return op.Pow(op.ReduceSum(op.Pow(op.Abs(x), exponent), axes, keepdims=keepdims), 1 / exponent)
    if ord == "0":
        return op.ReduceSum(op.CastLike(op.Cast(x, to=BOOL), x), axes, keepdims=keepdims)
    if ord == "1":
        return op.ReduceL1(x, axes, keepdims=keepdims)
    if ord == "2":
        return op.ReduceL2(x, axes, keepdims=keepdims)
    if ord == "inf":
        return op.ReduceMax(op.Abs(x), axes, keepdims=keepdims)
    return op.ReduceMin(op.Abs(x), axes, keepdims=keepdims)
