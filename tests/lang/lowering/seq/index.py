"""seq.index: An item of a sequence, or a slice of it: a loop over its items."""

from opwright import FLOAT, script
from opwright import opset18 as op


@script()
def F(x: FLOAT["N"]):
    parts = op.SplitToSequence(x, axis=0)
    return parts[-1]
