"""seq.unpack: A starred name takes what is left; a starred list is written out."""

from opwright import FLOAT, script
from opwright import opset18 as op


@script()
def F(x: FLOAT["N"]):
    first, *rest = [x, -x, x]
    return op.Concat(*[first, *rest], axis=0)
