from opwright import DOUBLE, FLOAT, INT64
from opwright import opset13 as op


def Range(start, limit, delta):
    count = op.Ceil(op.Cast(limit - start, to=DOUBLE) / op.Cast(delta, to=DOUBLE))
    length = op.Reshape(op.Cast(count, to=INT64), [1])
    steps = op.CumSum(op.ConstantOfShape(length, value=[1]), 0, exclusive=1)
    if start.dtype in (FLOAT, DOUBLE):
        return start + op.Cast(steps, to=start.dtype) * delta
    return op.Cast(op.Cast(start, to=INT64) + steps * op.Cast(delta, to=INT64), to=start.dtype)
