"""sub.shape: A shape is a tuple of numbers: an int gives a number, a slice a tuple, which is a tensor where one is
wanted."""

from opwright import FLOAT, script
from opwright import opset18 as op


@script()
def F(x: FLOAT["L", "M", "N"]):
    return op.Reshape(x, [x.shape[0], -1]), op.Expand(1.0, x.shape[1:])
