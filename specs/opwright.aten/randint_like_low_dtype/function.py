from opwright import DOUBLE
from opwright import opset18 as op


def randint_like_low_dtype(self, low, high):
    share = op.RandomUniformLike(op.ConstantOfShape(op.Shape(self)), dtype=11)
    least = op.Cast(low, to=DOUBLE)
    return op.CastLike(op.Floor(share * (op.Cast(high, to=DOUBLE) - least)) + least, high)
