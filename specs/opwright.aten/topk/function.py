from opwright import BFLOAT16, FLOAT
from opwright import opset18 as op


def topk(self, k, dim: int = -1, largest: bool = True):
    x = op.Cast(self, to=FLOAT) if self.dtype == BFLOAT16 else self
    values, indices = op.TopK(x, k, axis=dim, largest=largest)
    return op.CastLike(values, self) if self.dtype == BFLOAT16 else values, indices
