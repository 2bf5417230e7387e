import math
from typing import Literal

from opwright import BFLOAT16, FLOAT, FLOAT16
from opwright import opset18 as op

ALPHA = 1.7580993408473766  # SELU falls to -ALPHA


def alpha_dropout(input, p: float | None = None, train: Literal[False, True] = True):
    if not train:
        return op.Identity(input)
    if p is None:
        return input * 0
    x = op.Cast(input, to=FLOAT) if input.dtype in (FLOAT16, BFLOAT16) else input
    _, kept = op.Dropout(x, p, True)
    scale = 1 / math.sqrt((ALPHA * ALPHA * p + 1) * (1 - p))
    y = op.Where(kept, x, -ALPHA) * scale + ALPHA * scale * p
    return op.Cast(y, to=input.dtype) if input.dtype in (FLOAT16, BFLOAT16) else y
