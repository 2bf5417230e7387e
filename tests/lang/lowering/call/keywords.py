"""call.keywords: `**` gives the items of a dictionary by name, to operators and functions."""

from opwright import FLOAT, script
from opwright import opset18 as op


@script()
def F(x: FLOAT["M", "N"]):
    options = {"axis": 0}
    return op.Softmax(op.Softmax(x, **options), **{**options, "axis": 1})
