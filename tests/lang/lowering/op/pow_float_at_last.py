"""op.pow: A later statement says that the base is no integer: `Pow` stays."""

from opwright import opset18 as op
from opwright import script


@script()
def F(x):
    y = x**5
    return y + op.Sqrt(x)
