"""stmt.expression: A random operator stays though its value is unused: without it the others would draw anew."""

from opwright import FLOAT, script
from opwright import opset18 as op


@script()
def F(x: FLOAT["N"]):
    op.RandomNormalLike(x)
    return x + op.RandomNormalLike(x)
