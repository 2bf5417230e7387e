"""seq.index: An item of a sequence."""

from opwright import FLOAT, script
from opwright import opset18 as op


@script()
def F(x: FLOAT["N"]):
    parts = op.SplitToSequence(x, axis=0)
    return parts[-1]
