"""number.shape: The entries of a shape are numbers."""

from opwright import FLOAT, script
from opwright import opset18 as op


@script()
def F(x: FLOAT["M", "N"]):
    return op.ReduceSum(x, keepdims=0) / (x.shape[0] * x.shape[1])
