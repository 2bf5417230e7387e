"""call.operator, OW205: no such attribute."""

from opwright import FLOAT, script
from opwright import opset18 as op


@script()
def F(x: FLOAT["M", "N"]):
    return op.Softmax(x, axes=0)
