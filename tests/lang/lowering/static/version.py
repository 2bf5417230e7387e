"""static.version: The opset that a function is built for."""

from opwright import FLOAT, script
from opwright import opset18 as op


@script()
def F(x: FLOAT["M", "N"]):
    if op.version < 18:
        return op.ReduceMean(x, axes=[1], keepdims=0)
    return op.ReduceMean(x, [1], keepdims=0)
