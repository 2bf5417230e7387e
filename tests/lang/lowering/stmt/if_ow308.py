"""stmt.if, OW308: a name that one branch binds may have no value."""

from opwright import FLOAT, script
from opwright import opset18 as op


@script()
def F(x: FLOAT["N"]):
    if op.ReduceSum(x, keepdims=0) > 0:
        y = x
    return y
