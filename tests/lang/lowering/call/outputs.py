"""call.outputs: Several outputs are unpacked; trailing ones may be left."""

from opwright import FLOAT, script
from opwright import opset18 as op


@script()
def F(x: FLOAT["N"]):
    values, indices = op.TopK(x, [1])
    return values, indices
