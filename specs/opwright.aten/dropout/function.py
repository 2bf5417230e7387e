from typing import Literal

from opwright import BFLOAT16, FLOAT, FLOAT16
from opwright import opset18 as op


def dropout(input, p: float | None = None, train: Literal[False, True] = True):
    if not train:
        return op.Identity(input)
    if p is None:
        return input * 0
    x = op.Cast(input, to=FLOAT) if input.dtype in (FLOAT16, BFLOAT16) else input
    y = op.Dropout(x, p, True)
    return op.Cast(y, to=input.dtype) if input.dtype in (FLOAT16, BFLOAT16) else y
