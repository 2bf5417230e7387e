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
        y = op.DFT(y, axis=dim[-1], onesided=1)
        for axis in dim[:-1]:
            y = op.DFT(y, axis=axis)
    else:
        y = op.DFT(y, s[-1], axis=dim[-1], onesided=1)
        for axis, length in zip(dim[:-1], s[:-1], strict=True):
            y = op.DFT(y, length, axis=axis)
    if norm == "backward":
        return y
    sizes = op.Gather(op.Shape(self), dim) if s is None else op.Constant(value_ints=s)
    count = op.CastLike(op.ReduceProd(sizes, keepdims=0), y)
    return y / (op.Sqrt(count) if norm == "ortho" else count)
