"""seq.extend: `+`, `extend` and `*` of lists."""

from opwright import FLOAT, script
from opwright import opset18 as op


@script()
def F(x: FLOAT["N"]):
    parts = [x] + [-x]
    parts.extend([x] * 2)
    parts += [x]
    return op.Concat(*parts, axis=0)
