"""stmt.if: What a branch binds and nothing reads is no result of the `If`."""

from opwright import FLOAT, script
from opwright import opset18 as op


@script()
def F(x: FLOAT["N"]):
    if op.ReduceSum(x, keepdims=0) > 0:
        y, z = x, x * x
    else:
        y, z = -x, x
    return y
