"""call.keywords, OW312: a tuple has no names."""

from opwright import FLOAT, script
from opwright import opset18 as op


@script()
def F(x: FLOAT["M", "N"]):
    return op.Softmax(x, **(0, 1))
