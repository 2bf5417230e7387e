"""call.operator, OW206: an attribute is missing."""

from opwright import FLOAT, script
from opwright import opset18 as op


@script()
def F(x: FLOAT["N"]):
    return op.Concat(x, x)
