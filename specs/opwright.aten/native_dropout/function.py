from typing import Literal

from opwright import BFLOAT16, FLOAT, FLOAT16
from opwright import opset18 as op


def native_dropout(input, p: float | None = None, train: Literal[0, 1] = 1):
    if not train:
        return op.Identity(input), op.Expand(True, op.Shape(input))
    if p is None:
        return input * 0, op.Expand(False, op.Shape(input))
    x = op.Cast(input, to=FLOAT) if input.dtype in (FLOAT16, BFLOAT16) else input
    result, mask = op.Dropout(x, p, True)
    return op.Cast(result, to=input.dtype) if input.dtype in (FLOAT16, BFLOAT16) else result, mask
