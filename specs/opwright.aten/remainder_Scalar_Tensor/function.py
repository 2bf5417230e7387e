from opwright import BFLOAT16, DOUBLE, FLOAT, FLOAT16
from opwright import opset18 as op


def remainder_Scalar_Tensor(self, other):
    if self.dtype not in (FLOAT16, BFLOAT16, FLOAT, DOUBLE):
        return op.Mod(self, other)
    rest = op.Mod(self, other, fmod=1)
    return op.Where(rest * op.Sign(other) < 0, rest + other, rest)
