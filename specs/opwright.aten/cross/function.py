from opwright import BFLOAT16, FLOAT
from opwright import opset18 as op


def cross(self, other, dim: int):
    if self.dtype == BFLOAT16:
        return op.Cast(_product(op.Cast(self, to=FLOAT), op.Cast(other, to=FLOAT), dim), to=BFLOAT16)
    return _product(self, other, dim)


def _product(a, b, dim):
    ahead, behind = [1, 2, 0], [2, 0, 1]
    first = op.Gather(a, ahead, axis=dim) * op.Gather(b, behind, axis=dim)
    return first - op.Gather(a, behind, axis=dim) * op.Gather(b, ahead, axis=dim)
