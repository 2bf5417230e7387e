"""stmt.expression: A pure expression whose value is unused leaves no trace, but is checked."""

from opwright import FLOAT, script
from opwright import opset18 as op


@script()
def F(x: FLOAT["N"]):
    op.Abs(x)
    return -x
