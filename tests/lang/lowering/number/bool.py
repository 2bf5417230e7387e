"""number.bool: Truth values are numbers too."""

from opwright import FLOAT, script
from opwright import opset18 as op


@script()
def F(x: FLOAT["N"], n: int):
    positive = n > 0
    return op.Where(positive, x, -x) * int(positive)
