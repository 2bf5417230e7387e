from opwright import BFLOAT16, FLOAT16
from opwright import opset18 as op


def rand_like(self):
    if self.dtype in (FLOAT16, BFLOAT16):
        steps = 2048 if self.dtype == FLOAT16 else 256
        return op.CastLike(op.Floor(op.RandomUniformLike(self, dtype=1) * steps) / steps, self)
    return op.RandomUniformLike(self)
