from opwright import DOUBLE, FLOAT, INT64
from opwright import opset18 as op


def bincount(self, weights=None, minlength=None):
    """As many numbers as the greatest one needs, and not fewer than asked for."""
    x = self if self.dtype == INT64 else op.Cast(self, to=INT64)
    if weights is None:
        shares = op.Expand(op.Constant(value_int=1), op.Shape(x))
    else:
        shares = weights if weights.dtype in (FLOAT, DOUBLE) else op.Cast(weights, to=DOUBLE)
    size = op.ReduceMax(op.Concat(x + 1, [0] if minlength is None else minlength, axis=0))
    return op.ScatterElements(op.CastLike(op.ConstantOfShape(size), shares), x, shares, reduction="add")
