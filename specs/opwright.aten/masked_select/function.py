from typing import Literal

from opwright import BFLOAT16, FLOAT
from opwright import opset18 as op


def masked_select(self, mask, whole: Literal[False, True] = False):
    x = op.Cast(self, to=FLOAT) if self.dtype == BFLOAT16 else self
    if not whole:
        x = op.Expand(x, op.Shape(mask))
        mask = op.Expand(mask, op.Shape(x))
    y = op.Compress(op.Reshape(x, [-1]), op.Reshape(mask, [-1]), axis=0)
    return op.CastLike(y, self) if self.dtype == BFLOAT16 else y
