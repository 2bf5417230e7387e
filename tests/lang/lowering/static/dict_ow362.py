"""static.dict, OW362: How many items it has is known when the function is built."""

from opwright import FLOAT, script
from opwright import opset18 as op


@script()
def F(x: FLOAT["N"]):
    return {k: x * k for k in range(op.Size(x))}[0]
