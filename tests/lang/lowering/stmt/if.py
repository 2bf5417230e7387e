"""stmt.if: A condition of values that are known at run time becomes an `If`; what the branches bind becomes its
results."""

from opwright import FLOAT, script
from opwright import opset18 as op


@script()
def F(x: FLOAT["N"]):
    if op.ReduceSum(x, keepdims=0) > 0:
        y = x
    else:
        y = -x
    return y
