from typing import Literal

from opwright import BFLOAT16, FLOAT
from opwright import opset18 as op


def vander(x, N=None, increasing: Literal[False, True] = False):
    y = op.Cast(x, to=FLOAT) if x.dtype == BFLOAT16 else x
    count = op.Size(x) if N is None else N
    exponents = op.Range(0, count, 1) if increasing else op.Range(count - 1, -1, -1)
    powers = op.Pow(op.Unsqueeze(y, [1]), op.CastLike(exponents, y))
    return op.CastLike(powers, x) if x.dtype == BFLOAT16 else powers
