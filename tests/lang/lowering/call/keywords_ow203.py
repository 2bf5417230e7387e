"""call.keywords, OW203: the two give one argument."""

from opwright import FLOAT, script
from opwright import opset18 as op


@script()
def F(x: FLOAT["M", "N"]):
    return op.Softmax(x, axis=1, **{"axis": 0})
