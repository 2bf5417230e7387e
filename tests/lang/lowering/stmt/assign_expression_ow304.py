"""stmt.assign.expression, OW304: One path alone would bind the name."""

from opwright import FLOAT, script
from opwright import opset18 as op


@script()
def F(x: FLOAT["N"]):
    return (y := x) if op.Size(x) > 1 else -x
