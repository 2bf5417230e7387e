"""stmt.for.rows: The parts of a tensor along its first axis, of a rank less by one."""

from opwright import FLOAT, script
from opwright import opset18 as op


@script()
def F(x: FLOAT["M", "N"], total: FLOAT):
    for row in x:
        total = total + op.ReduceSum(row, keepdims=0)
    return total
