"""number.polymorphic: Where the element type is the caller's choice, the constant follows it."""

from opwright import opset18 as op
from opwright import script


@script()
def F(x):
    return op.Mul(op.Cos(x), 2)
