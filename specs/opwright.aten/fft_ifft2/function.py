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
            y = op.DFT(y, axis=axis, inverse=inverse)
    else:
        for axis, length in zip(dim, s, strict=True):
            y = op.DFT(y, length, axis=axis, inverse=inverse)
    if self.dtype == DOUBLE:
        y = y * [1, -1]
    if norm == ("forward" if self.dtype == DOUBLE else "backward"):
        return y
    count = op.CastLike(op.ReduceProd(op.Gather(op.Shape(y), dim), keepdims=0), y)
    if norm == "ortho":
        count = op.Sqrt(count)
    return y / count if self.dtype == DOUBLE else y * count
