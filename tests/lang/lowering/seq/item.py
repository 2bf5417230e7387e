"""seq.item: The name stands for another list from then on."""

from opwright import FLOAT, script
from opwright import opset18 as op


@script()
def F(x: FLOAT["N"]):
    parts = [x, x, 1]
    parts[-1] = -x
    for i in range(2):
        parts[i] = parts[i] * (i + 2)
    return op.Concat(*parts, axis=0)
