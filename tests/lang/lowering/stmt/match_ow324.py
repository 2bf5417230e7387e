"""stmt.match, OW324: A tensor is known at run time only."""

from opwright import FLOAT, script
from opwright import opset18 as op


@script()
def F(x: FLOAT["N"]):
    match op.Size(x):
        case 1:
            return x
    return -x
