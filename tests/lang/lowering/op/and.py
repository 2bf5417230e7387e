"""op.and: The second operand is evaluated only where the first is true."""

from opwright import FLOAT, INT64, script
from opwright import opset18 as op


@script()
def F(x: FLOAT, n: INT64):
    if n > 0 and x / op.Cast(n, to=FLOAT) > 1:
        x = -x
    return x
