from typing import Literal

from opwright import opset18 as op


def randn(size, *, dtype: Literal[1, 10, 11, 16] = 1):
    zeros = op.ConstantOfShape(size)
    if dtype in (10, 16):
        return op.Cast(op.RandomNormalLike(zeros), to=dtype)
    return op.RandomNormalLike(zeros, dtype=dtype)
