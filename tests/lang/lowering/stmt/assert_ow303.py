"""stmt.assert, OW303: a graph has no exceptions."""

from opwright import FLOAT, script
from opwright import opset18 as op


@script()
def F(x: FLOAT["N"]):
    assert op.ReduceSum(x, keepdims=0) > 0
    return x
