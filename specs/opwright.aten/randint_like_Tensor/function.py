from opwright import DOUBLE
from opwright import opset18 as op


def randint_like_Tensor(self, high):
    share = op.RandomUniformLike(op.ConstantOfShape(op.Shape(self)), dtype=11)
    return op.CastLike(op.Floor(share * op.Cast(high, to=DOUBLE)), high)
