from opwright import INT64, UINT8
from opwright import opset18 as op


def fmod_Tensor(self, other):
    if self.dtype == INT64:  # runtimes compute the fmod of int64 in double
        return self - self / other * other
    return op.Mod(self, other) if self.dtype == UINT8 else op.Mod(self, other, fmod=1)
