"""stmt.return.early, OW306: a path falls off the end."""

from opwright import FLOAT, script
from opwright import opset18 as op


@script()
def F(x: FLOAT["N"]):
    if op.ReduceSum(x, keepdims=0) > 0:
        return x
