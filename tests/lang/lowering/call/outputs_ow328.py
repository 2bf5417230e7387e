"""call.outputs, OW328: the operator gives two."""

from opwright import FLOAT, script
from opwright import opset18 as op


@script()
def F(x: FLOAT["N"]):
    a, b, c = op.TopK(x, [1])
    return a
