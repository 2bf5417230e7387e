"""call.operator, OW208: a type that the operator does not take."""

from opwright import INT64, script
from opwright import opset18 as op


@script()
def F(x: INT64["N"]):
    return op.Sigmoid(x)
