from opwright import DOUBLE
from opwright import opset18 as op


def logspace(start, end, steps, base, *, dtype: int = 1):
    start, end = op.Cast(op.Cast(start, to=dtype), to=DOUBLE), op.Cast(op.Cast(end, to=dtype), to=DOUBLE)
    last = op.Max(steps - 1, 1)
    place = op.Range(0, steps, 1)
    step = (end - start) / op.Cast(last, to=DOUBLE)
    from_start, from_end = op.Cast(place, to=DOUBLE), op.Cast(steps - 1 - place, to=DOUBLE)
    numbers = op.Where(place * 2 < last, start + step * from_start, end - step * from_end)
    return op.Cast(op.Pow(base, numbers), to=dtype)
