from collections.abc import Sequence
from typing import Literal

from opwright import opset18 as op


def fft_rfft2(
    self,
    s: Sequence[int] | None = None,
    *,
    dim: Sequence[int],
    norm: Literal["backward", "ortho", "forward"] = "backward",
):
    y = op.Unsqueeze(self, -1)
    if s is None:
        y = _transformed(y, None, dim[-1], onesided=1)
        for axis in dim[:-1]:
            y = _transformed(y, None, axis)
    else:
        y = _transformed(y, s[-1], dim[-1], onesided=1)
        for axis, length in zip(dim[:-1], s[:-1], strict=True):
            y = _transformed(y, length, axis)
    if norm == "backward":
        return y
    sizes = op.Gather(op.Shape(self), dim) if s is None else op.Constant(value_ints=s)
    count = op.CastLike(op.ReduceProd(sizes, keepdims=0), y)
    return y / (op.Sqrt(count) if norm == "ortho" else count)


def _transformed(x, length, axis, inverse=0, onesided=0):
    if op.version < 20:
        return op.DFT(x, length, axis=axis, inverse=inverse, onesided=onesided)
    return op.DFT(x, length, axis, inverse=inverse, onesided=onesided)
