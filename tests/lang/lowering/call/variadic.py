"""call.variadic: Variadic inputs are given one by one, or starred."""

from opwright import FLOAT, script
from opwright import opset18 as op


@script()
def F(x: FLOAT["N"]):
    parts = [x, -x]
    return op.Concat(*parts, x, axis=0) + op.Max(x, 0)
