from opwright import BFLOAT16, FLOAT
from opwright import opset18 as op


def mean(self):
    if self.dtype == BFLOAT16:
        return op.CastLike(op.ReduceMean(op.Cast(self, to=FLOAT), keepdims=False), self)
    return op.ReduceMean(self, keepdims=False)
