from collections.abc import Sequence
from typing import Literal

from opwright import DOUBLE
from opwright import opset18 as op


def fft_ifft2(
    self,
    s: Sequence[int] | None = None,
    *,
    dim: Sequence[int],
    norm: Literal["backward", "ortho", "forward"] = "backward",
    is_complex: Literal[False, True] = False,
):
    y = self if is_complex else op.Unsqueeze(self, -1)
    if self.dtype == DOUBLE and is_complex:  # onnxruntime rounds the divisor of an inverse transform to float
        y = y * [1, -1]
    inverse = 0 if self.dtype == DOUBLE else 1
    if s is None:
        for axis in dim:
            y = _transformed(y, None, axis, inverse=inverse)
    else:
        for axis, length in zip(dim, s, strict=True):
            y = _transformed(y, length, axis, inverse=inverse)
    if self.dtype == DOUBLE:
        y = y * [1, -1]
    if norm == ("forward" if self.dtype == DOUBLE else "backward"):
        return y
    count = op.CastLike(op.ReduceProd(op.Gather(op.Shape(y), dim), keepdims=0), y)
    if norm == "ortho":
        count = op.Sqrt(count)
    return y / count if self.dtype == DOUBLE else y * count


def _transformed(x, length, axis, inverse=0, onesided=0):
    if op.version < 20:
        return op.DFT(x, length, axis=axis, inverse=inverse, onesided=onesided)
    return op.DFT(x, length, axis, inverse=inverse, onesided=onesided)
