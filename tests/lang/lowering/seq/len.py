"""seq.len: How many items a sequence has; as a condition, whether it has any."""

from opwright import FLOAT, script
from opwright import opset18 as op


@script()
def F(x: FLOAT["N"]):
    parts = op.SplitToSequence(x, axis=0)
    return x * len(parts)
