"""call.operator, OW205: an input is given by a name that the operator does not have, told before that it is missing."""

from opwright import FLOAT, script
from opwright import opset18 as op


@script()
def F(x: FLOAT["N"]):
    return op.Gather(x, indcies=[0]) + op.Concat(x, x, axs=0)
