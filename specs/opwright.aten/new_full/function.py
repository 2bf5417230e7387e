from opwright import BFLOAT16, FLOAT
from opwright import opset18 as op


def new_full(size, fill_value):
    if fill_value.dtype == BFLOAT16:
        return op.CastLike(op.Expand(op.Cast(fill_value, to=FLOAT), size), fill_value)
    return op.Expand(fill_value, size)
