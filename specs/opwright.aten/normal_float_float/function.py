from opwright import DOUBLE
from opwright import opset18 as op


def normal_float_float(mean, std, size, *, dtype: int = 1):
    noise = op.RandomNormalLike(op.ConstantOfShape(size), dtype=1)
    return op.Cast(mean + std * op.Cast(noise, to=DOUBLE), to=dtype)
