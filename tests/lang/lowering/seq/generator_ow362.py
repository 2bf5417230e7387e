"""seq.generator, OW362: Python reads `y` when the generator is used."""

from opwright import FLOAT, script
from opwright import opset18 as op


@script()
def F(x: FLOAT["N"]):
    y = x
    parts = (y * i for i in range(3))
    y = y + 1
    return op.Concat(*parts, axis=0)
