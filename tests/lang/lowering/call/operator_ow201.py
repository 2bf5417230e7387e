"""call.operator, OW201: no such operator."""

from opwright import FLOAT, script
from opwright import opset18 as op


@script()
def F(x: FLOAT["N"]):
    return op.Sigmod(x)
