from collections.abc import Sequence
from typing import Literal

from opwright import DOUBLE
from opwright import opset18 as op


def fft_irfft(
    self,
    n=None,
    *,
    dim: int,
    norm: Literal["backward", "ortho", "forward"] = "backward",
    is_complex: Literal[False, True] = False,
    trailing: Sequence[int],
):
    x = self if is_complex else op.Pad(op.Unsqueeze(self, -1), [0, 1], None, [-1])
    length = 2 * (self.shape[dim] - 1) if n is None else n
    count = op.CastLike(length, x)
    if norm == "ortho":
        count = op.Sqrt(count)
    if self.dtype == DOUBLE:  # onnxruntime rounds the divisor of an inverse transform to float
        # Each frequency but the first, and the middle one of an even length, stands for its conjugate too.
        number = op.Range(0, self.shape[dim], 1)
        alone = (number == 0) | (number * 2 == length)
        weights = op.Where(alone, 1, op.Where(number * 2 < length, 2, 0))
        weights = op.Unsqueeze(op.Unsqueeze(op.CastLike(weights, x), trailing), -1)
        y = _transformed(x * weights * [1, -1], length, dim)[..., 0]
        return y if norm == "forward" else y / count
    if n is not None:  # onnxruntime neither crops nor pads the frequencies of a real signal
        x = op.Slice(x, [0], [length // 2 + 1], [dim])
        x = op.Pad(x, [0, length // 2 + 1 - x.shape[dim]], None, [dim])
    y = op.Squeeze(_transformed(x, length, dim, inverse=1, onesided=1), -1)
    return y if norm == "backward" else y * count


def _transformed(x, length, axis, inverse=0, onesided=0):
    if op.version < 20:
        return op.DFT(x, length, axis=axis, inverse=inverse, onesided=onesided)
    return op.DFT(x, length, axis, inverse=inverse, onesided=onesided)
