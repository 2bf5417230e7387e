"""call.attribute: Attributes are known when the function is built: constants, static values, or the function's own
attributes, which are passed on."""

from opwright import FLOAT, script
from opwright import opset18 as op


@script()
def F(x: FLOAT["M", "N"], axis: int = -1):
    return op.Softmax(x, axis=axis)
