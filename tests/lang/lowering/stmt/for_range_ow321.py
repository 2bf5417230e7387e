"""stmt.for.range, OW321: what is carried has one type."""

from opwright import FLOAT, INT64, script
from opwright import opset18 as op


@script()
def F(x: FLOAT["N"], n: INT64):
    y = x
    for i in range(n):
        y = op.Shape(y)
    return x
