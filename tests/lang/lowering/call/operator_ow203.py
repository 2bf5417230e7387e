"""call.operator, OW203: too many inputs."""

from opwright import FLOAT, script
from opwright import opset18 as op


@script()
def F(x: FLOAT["N"]):
    return op.Abs(x, x)
