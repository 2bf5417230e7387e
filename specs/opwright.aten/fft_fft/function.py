from typing import Literal

from opwright import opset18 as op


def fft_fft(
    self,
    n=None,
    *,
    dim: int,
    norm: Literal["backward", "ortho", "forward"] = "backward",
    is_complex: Literal[False, True] = False,
):
    y = _transformed(self if is_complex else op.Unsqueeze(self, -1), n, dim)
    if norm == "backward":
        return y
    count = op.CastLike(self.shape[dim] if n is None else n, y)
    return y / (op.Sqrt(count) if norm == "ortho" else count)


def _transformed(x, length, axis, inverse=0, onesided=0):
    if op.version < 20:
        length = None if length is None else length  # static: no input of DFT is an empty name
        return op.DFT(x, length, axis=axis, inverse=inverse, onesided=onesided)
    return op.DFT(x, length, axis, inverse=inverse, onesided=onesided)
