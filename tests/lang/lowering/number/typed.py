"""number.typed: A scalar tensor of that type."""

from opwright import FLOAT, script
from opwright import opset18 as op


@script()
def F(x: FLOAT["N"]):
    return op.Concat(x, op.Reshape(FLOAT(0.5), [1]), axis=0)
