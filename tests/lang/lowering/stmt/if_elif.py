"""stmt.if.elif: A chain of any length nests a few levels deep: as many as its length has binary digits."""

from opwright import FLOAT, INT64, script
from opwright import opset18 as op


@script()
def F(x: FLOAT["N"], n: INT64):
    if n == 0:
        x = -x
    elif n == 1:
        x = x + x
    else:
        x = op.Abs(x)
    return x
