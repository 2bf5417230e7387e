from collections.abc import Sequence
from typing import Literal

from opwright import BFLOAT16, FLOAT, FLOAT16
from opwright import opset18 as op


def renorm(self, maxnorm, exponent=None, *, dim: Sequence[int], p: Literal["1", "2", "inf"] = "2"):
    """In float of float16 and bfloat16, whose powers are soon infinite or 0."""
    x = op.Cast(self, to=FLOAT) if self.dtype in (FLOAT16, BFLOAT16) else self
    most = op.Cast(maxnorm, to=FLOAT) if self.dtype in (FLOAT16, BFLOAT16) else maxnorm
    size = norm(x, op.Constant(value_ints=dim), True, p, exponent)
    y = x * op.Where(size > most, most / (size + 1e-7), 1)
    return op.CastLike(y, self) if self.dtype in (FLOAT16, BFLOAT16) else y


def norm(x, axes, keepdims, ord, p):
    if p is not None:
        exponent = op.CastLike(p, x)
        return op.Pow(op.ReduceSum(op.Pow(op.Abs(x), exponent), axes, keepdims=keepdims), 1 / exponent)
    if ord == "1":
        return op.ReduceL1(x, axes, keepdims=keepdims)
    if ord == "2":
        return op.ReduceL2(x, axes, keepdims=keepdims)
    return op.ReduceMax(op.Abs(x), axes, keepdims=keepdims)
