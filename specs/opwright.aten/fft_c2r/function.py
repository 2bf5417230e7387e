from collections.abc import Sequence
from typing import Literal

from opwright import DOUBLE
from opwright import opset18 as op


def fft_c2r(self, dim: Sequence[int], normalization: Literal[0, 1, 2], last_dim_size: int):
    x = self
    if self.dtype == DOUBLE:  # onnxruntime rounds the divisor of an inverse transform to float
        x = x * [1, -1]
        for axis in dim[:-1]:
            x = _transformed(x, None, axis)
        # Each frequency but the first, and the middle one of an even length, stands for its conjugate too.
        weights = [1] + [2] * ((last_dim_size - 1) // 2) + [1] * (1 - last_dim_size % 2)
        weights = op.Unsqueeze(op.CastLike(weights, x), [*range(1, self.rank - dim[-1])])
        y = _transformed(x * weights, last_dim_size, dim[-1])[..., 0]
    else:
        for axis in dim[:-1]:
            x = _transformed(x, None, axis, inverse=1)
        y = op.Squeeze(_transformed(x, last_dim_size, dim[-1], inverse=1, onesided=1), [-1])
    if normalization == (0 if self.dtype == DOUBLE else 2):
        return y
    count = op.CastLike(op.ReduceProd(op.Gather(op.Shape(y), dim), keepdims=0), y)
    if normalization == 1:
        count = op.Sqrt(count)
    return y / count if self.dtype == DOUBLE else y * count


def _transformed(x, length, axis, inverse=0, onesided=0):
    if op.version < 20:
        return op.DFT(x, length, axis=axis, inverse=inverse, onesided=onesided)
    return op.DFT(x, length, axis, inverse=inverse, onesided=onesided)
