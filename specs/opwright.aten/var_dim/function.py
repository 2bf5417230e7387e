from collections.abc import Sequence

from opwright import BFLOAT16, FLOAT, FLOAT16
from opwright import opset18 as op


def var_dim(self, correction=None, *, dim: Sequence[int], keepdim: bool = False, count: int | None = None):
    """In float of float16 and bfloat16, whose squares are soon infinite or not exact."""
    x = op.Cast(self, to=FLOAT) if self.dtype in (FLOAT16, BFLOAT16) else self
    axes = op.Constant(value_ints=dim)
    centred = x - op.ReduceMean(x, axes)
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
    return op.CastLike(variance, self) if self.dtype in (FLOAT16, BFLOAT16) else variance
