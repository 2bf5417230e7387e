"""static.dtype: The element type of a tensor, which the caller chooses."""

from opwright import DOUBLE, FLOAT, script
from opwright import opset18 as op


@script()
def F(x: FLOAT["N"] | DOUBLE["N"]):
    if x.dtype == FLOAT:
        return op.Exp(x)
    return op.Abs(x)
