"""call.dtype: An element type where an operator wants one."""

from opwright import FLOAT, INT64, script
from opwright import opset18 as op


@script()
def F(x: FLOAT["N"]):
    return op.Cast(x, to=INT64)
