from typing import Literal

from opwright import DOUBLE
from opwright import opset18 as op


def fft_ifft(
    self,
    n=None,
    *,
    dim: int,
    norm: Literal["backward", "ortho", "forward"] = "backward",
    is_complex: Literal[False, True] = False,
):
    x = self if is_complex else op.Unsqueeze(self, -1)
    count = op.CastLike(self.shape[dim] if n is None else n, x)
    if norm == "ortho":
        count = op.Sqrt(count)
    if self.dtype == DOUBLE:  # onnxruntime rounds the divisor of an inverse transform to float
        y = _transformed(x * [1, -1] if is_complex else x, n, dim) * [1, -1]
        return y if norm == "forward" else y / count
    y = _transformed(x, n, dim, inverse=1)
    return y if norm == "backward" else y * count


def _transformed(x, length, axis, inverse=0, onesided=0):
    if op.version < 20:
        return op.DFT(x, length, axis=axis, inverse=inverse, onesided=onesided)
    return op.DFT(x, length, axis, inverse=inverse, onesided=onesided)
