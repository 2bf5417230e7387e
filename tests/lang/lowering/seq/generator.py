"""seq.generator: Generators, `zip` and other iterators are used once, before what they read changes."""

from opwright import FLOAT, script
from opwright import opset18 as op


@script()
def F(x: FLOAT["N"]):
    return op.Concat(*(x * i for i in range(3)), axis=0)
