"""seq.ranks: Where all items have one rank, so has what joins them."""

from opwright import FLOAT, INT64, script
from opwright import opset18 as op


@script()
def F(x: FLOAT["N"], n: INT64):
    parts = []
    for i in range(n):
        parts.append(x * i)
    return op.ConcatFromSequence(parts, axis=0, new_axis=1)
