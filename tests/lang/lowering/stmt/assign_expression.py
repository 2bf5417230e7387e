"""stmt.assign.expression: The name has the value from then on."""

from opwright import FLOAT, script
from opwright import opset18 as op


@script()
def F(x: FLOAT["N"]):
    if (total := op.ReduceSum(x, keepdims=0)) > 1:
        x = x + total
    return x
