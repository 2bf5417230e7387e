from collections.abc import Sequence
from typing import Literal

from opwright import opset18 as op


def fft_r2c(self, dim: Sequence[int], normalization: Literal[0, 1, 2], onesided: bool):
    y = _transformed(op.Unsqueeze(self, [-1]), None, dim[-1], onesided=onesided)
    for axis in dim[:-1]:
        y = _transformed(y, None, axis)
    if normalization == 0:
        return y
    count = op.CastLike(op.ReduceProd(op.Gather(op.Shape(self), dim), keepdims=0), self)
    return y / (op.Sqrt(count) if normalization == 1 else count)


def _transformed(x, length, axis, inverse=0, onesided=0):
    if op.version < 20:
        return op.DFT(x, length, axis=axis, inverse=inverse, onesided=onesided)
    return op.DFT(x, length, axis, inverse=inverse, onesided=onesided)
