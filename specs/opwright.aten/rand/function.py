from typing import Literal

from opwright import opset18 as op


def rand(size, *, dtype: Literal[1, 10, 11, 16] = 1):
    zeros = op.ConstantOfShape(size)
    if dtype in (10, 16):
        steps = 2048 if dtype == 10 else 256
        return op.Cast(op.Floor(op.RandomUniformLike(zeros) * steps) / steps, to=dtype)
    return op.RandomUniformLike(zeros, dtype=dtype)
