from typing import Literal

from opwright import BFLOAT16, FLOAT, FLOAT16
from opwright import opset18 as op


def put(self, index, source, accumulate: Literal[False, True] = False):
    x, places, given = op.Reshape(self, [-1]), op.Reshape(index, [-1]), op.Reshape(source, [-1])
    if not accumulate:
        y = op.ScatterElements(x, places, given)
    elif self.dtype in (FLOAT16, BFLOAT16):
        y = op.ScatterElements(op.Cast(x, to=FLOAT), places, op.Cast(given, to=FLOAT), reduction="add")
        y = op.CastLike(y, self)
    else:
        y = op.ScatterElements(x, places, given, reduction="add")
    return op.Reshape(y, op.Shape(self))
