"""param.attribute: `int`, `float`, `str`, `bool` make an attribute."""

from opwright import FLOAT, script
from opwright import opset18 as op


@script()
def F(x: FLOAT["N"], alpha: float, flip: bool):
    return op.Where(flip, -x, x) * alpha
