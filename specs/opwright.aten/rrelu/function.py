from typing import Literal

from opwright import BFLOAT16, DOUBLE, FLOAT, FLOAT16
from opwright import opset18 as op


def rrelu(self, lower, upper, *, training: Literal[0, 1] = 0):
    if not training:
        slope = (lower + upper) * 0.5
        return op.Where(self < 0, self * slope, self) if self.dtype == DOUBLE else op.PRelu(self, slope)
    assert self.dtype != FLOAT16  # of which PyTorch has no random slopes
    share = op.RandomUniformLike(self, dtype=FLOAT if self.dtype == BFLOAT16 else self.dtype)
    if self.dtype == BFLOAT16:
        share = op.Cast(share, to=BFLOAT16)
    return op.Where(self < 0, self * (lower + (upper - lower) * share), self)
