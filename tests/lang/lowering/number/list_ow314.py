"""number.list, OW314: a tensor of rank 0 is no list: `[op.Size(x)]` is one."""

from opwright import FLOAT, script
from opwright import opset18 as op


@script()
def F(x: FLOAT["N"]):
    return op.Reshape(x, op.Size(x))
