"""number.list, OW325: ragged lists are none."""

from opwright import FLOAT, script
from opwright import opset18 as op


@script()
def F(x: FLOAT["N"]):
    return op.Add(x, [[1.0], [2.0, 3.0]])
