"""call.attribute, OW324: a value that is computed cannot become one."""

from opwright import FLOAT, script
from opwright import opset18 as op


@script()
def F(x: FLOAT["M", "N"]):
    return op.Softmax(x, axis=op.Size(x))
