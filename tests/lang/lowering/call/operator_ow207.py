"""call.operator, OW207: an attribute of another type."""

from opwright import FLOAT, script
from opwright import opset18 as op


@script()
def F(x: FLOAT["M", "N"]):
    return op.Softmax(x, axis=0.5)
