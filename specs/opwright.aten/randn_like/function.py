from opwright import BFLOAT16, FLOAT16
from opwright import opset18 as op


def randn_like(self):
    if self.dtype in (FLOAT16, BFLOAT16):
        return op.CastLike(op.RandomNormalLike(self, dtype=1), self)
    return op.RandomNormalLike(self)
