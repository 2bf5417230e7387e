from collections.abc import Sequence
from typing import Literal

from opwright import opset18 as op


def fft_fft2(
    self,
    s: Sequence[int] | None = None,
    *,
    dim: Sequence[int],
    norm: Literal["backward", "ortho", "forward"] = "backward",
    is_complex: Literal[False, True] = False,
):
    y = self if is_complex else op.Unsqueeze(self, -1)
    if s is None:
        for axis in dim:
            y = _transformed(y, None, axis)
    else:
        for axis, length in zip(dim, s, strict=True):
            y = _transformed(y, length, axis)
    if norm == "backward":
        return y
    count = op.CastLike(op.ReduceProd(op.Gather(op.Shape(y), dim), keepdims=0), y)
    return y / (op.Sqrt(count) if norm == "ortho" else count)


def _transformed(x, length, axis, inverse=0, onesided=0):
    if op.version < 20:
        return op.DFT(x, length, axis=axis, inverse=inverse, onesided=onesided)
    return op.DFT(x, length, axis, inverse=inverse, onesided=onesided)
