"""static.range: A loop over a static range unrolls where its body needs the index when the function is built."""

from opwright import FLOAT, script
from opwright import opset18 as op


@script()
def F(x: FLOAT["M", "N"]):
    for axis in range(2):
        x = op.Softmax(x, axis=axis)
    return x
