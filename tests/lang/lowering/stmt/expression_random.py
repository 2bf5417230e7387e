"""stmt.expression: A random operator stays though nobody takes its value: without it the others would draw others."""

from opwright import FLOAT, script
from opwright import opset18 as op


@script()
def F(x: FLOAT["N"]):
    op.RandomNormalLike(x)
    return x + op.RandomNormalLike(x)
