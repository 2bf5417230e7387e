"""stmt.for.step: Start, stop and step, of either sign."""

from opwright import INT64, script
from opwright import opset18 as op


@script()
def F(n: INT64):
    s = op.Constant(value_int=0)
    for i in range(n, 0, -2):
        s = s + i
    return s
