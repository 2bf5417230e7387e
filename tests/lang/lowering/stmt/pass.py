"""stmt.pass: Nothing."""

from opwright import FLOAT, script
from opwright import opset18 as op


@script()
def F(x: FLOAT["N"]):
    if op.ReduceSum(x, keepdims=0) > 0:
        pass
    else:
        x = -x
    return x
