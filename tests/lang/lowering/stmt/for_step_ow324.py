"""stmt.for.step, OW324: a step is known when the function is built, and not zero."""

from opwright import INT64, script
from opwright import opset18 as op


@script()
def F(n: INT64):
    s = op.Constant(value_int=0)
    for i in range(n, 0, 0):
        s = s + i
    return s
