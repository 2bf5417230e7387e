from opwright import BFLOAT16, FLOAT
from opwright import opset18 as op


def expand_as(self, other):
    if self.dtype == BFLOAT16:
        return op.CastLike(op.Expand(op.Cast(self, to=FLOAT), op.Shape(other)), self)
    return op.Expand(self, op.Shape(other))
