"""call.outputs: `Split` gives as many as its list of sizes has items."""

from opwright import FLOAT, script
from opwright import opset18 as op


@script()
def F(x: FLOAT["N"]):
    parts = op.Split(x, [1, 2, 1])
    return op.Concat(*reversed(parts), axis=0)
