from collections.abc import Sequence
from typing import Literal

from opwright import BFLOAT16, FLOAT, FLOAT16
from opwright import opset18 as op


def var_mean_dim(
    self, correction=None, *, dim: Sequence[int], keepdim: Literal[False, True] = False, count: int | None = None
):
    """In float of float16 and bfloat16, whose squares are soon infinite or not exact."""
    x = op.Cast(self, to=FLOAT) if self.dtype in (FLOAT16, BFLOAT16) else self
    axes = op.Constant(value_ints=dim)
    mean = op.ReduceMean(x, axes)
    centred = x - mean
    if correction is None:
        variance = op.ReduceMean(centred * centred, axes, keepdims=keepdim)
    else:
        elements = (
            op.ReduceProd(op.Gather(op.Shape(x), axes), keepdims=False)
            if count is None
            else op.Constant(value_int=count)
        )
        divisor = op.CastLike(elements, x) - op.CastLike(correction, x)
        variance = op.ReduceSumSquare(centred, axes, keepdims=keepdim) / op.Max(divisor, 0)
    if not keepdim:
        mean = op.Squeeze(mean, axes)
    if self.dtype in (FLOAT16, BFLOAT16):
        return op.CastLike(variance, self), op.CastLike(mean, self)
    return variance, mean
