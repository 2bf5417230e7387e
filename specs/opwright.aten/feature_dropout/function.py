from typing import Literal

from opwright import BFLOAT16, FLOAT, FLOAT16
from opwright import opset18 as op


def feature_dropout(input, p: float | None = None, train: Literal[False, True] = True):
    if not train:
        return op.Identity(input)
    if p is None:
        return input * 0
    others = op.Expand(1, op.Shape(op.Shape(input, start=2)))
    channels = op.Concat(op.Shape(input, end=2), others, axis=0)
    kind = FLOAT if input.dtype in (FLOAT16, BFLOAT16) else input.dtype
    factors = op.Dropout(op.Expand(op.Cast(1.0, to=kind), channels), p, True)
    return input * op.CastLike(factors, input)
