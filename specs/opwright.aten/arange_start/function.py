from opwright import DOUBLE, FLOAT
from opwright import opset18 as op


def arange_start(start, end, *, dtype: int | None = None):
    numbers = op.Range(start, end, op.CastLike(1, end))
    if dtype is not None:
        return op.Cast(numbers, to=dtype)
    return op.Cast(numbers, to=FLOAT) if end.dtype == DOUBLE else numbers
