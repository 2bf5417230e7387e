from opwright import BFLOAT16, FLOAT, FLOAT16
from opwright import opset18 as op


def var(self, correction=None, *, count: int | None = None):
    """In float of float16 and bfloat16, whose squares are soon infinite or not exact."""
    x = op.Cast(self, to=FLOAT) if self.dtype in (FLOAT16, BFLOAT16) else self
    centred = x - op.ReduceMean(x)
    if correction is None:
        variance = op.ReduceMean(centred * centred, keepdims=False)
    else:
        elements = op.Size(x) if count is None else op.Constant(value_int=count)
        divisor = op.CastLike(elements, x) - op.CastLike(correction, x)
        variance = op.ReduceSumSquare(centred, keepdims=False) / op.Max(divisor, 0)
    return op.CastLike(variance, self) if self.dtype in (FLOAT16, BFLOAT16) else variance
