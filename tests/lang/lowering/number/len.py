"""number.len: The first dimension, or how many items a list, tuple or sequence has."""

from opwright import FLOAT, script
from opwright import opset18 as op


@script()
def F(x: FLOAT["M", "N"]):
    return op.ReduceSum(x, keepdims=0) / len(x)
