from collections.abc import Sequence
from typing import Literal

from opwright import opset18 as op


def fft_r2c(self, dim: Sequence[int], normalization: Literal[0, 1, 2], onesided: bool):
    y = op.DFT(op.Unsqueeze(self, [-1]), axis=dim[-1], onesided=onesided)
    for axis in dim[:-1]:
        y = op.DFT(y, axis=axis)
    if normalization == 0:
        return y
    count = op.CastLike(op.ReduceProd(op.Gather(op.Shape(self), dim), keepdims=0), self)
    return y / (op.Sqrt(count) if normalization == 1 else count)
