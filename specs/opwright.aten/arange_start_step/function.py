from opwright import DOUBLE, FLOAT
from opwright import opset18 as op


def arange_start_step(start, end, step=None, *, dtype: int | None = None):
    numbers = op.Range(start, end, op.CastLike(1, start) if step is None else step)
    if dtype is not None:
        return op.Cast(numbers, to=dtype)
    return op.Cast(numbers, to=FLOAT) if start.dtype == DOUBLE else numbers
