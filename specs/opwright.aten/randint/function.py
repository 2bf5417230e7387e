from opwright import DOUBLE
from opwright import opset18 as op


def randint(high, size, *, dtype: int = 7):
    share = op.RandomUniformLike(op.ConstantOfShape(size), dtype=11)
    return op.Cast(op.Floor(share * op.Cast(high, to=DOUBLE)), to=dtype)
