"""call.absent: `None` is an absent input; one that is skipped by keyword leaves its place empty."""

from opwright import FLOAT, script
from opwright import opset18 as op


@script()
def F(x: FLOAT["N"]):
    return op.Clip(x, max=2) + op.Clip(x, None, 2)
