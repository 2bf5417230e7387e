"""static.choice: A static value chosen by a static condition."""

from typing import Literal

from opwright import FLOAT, script
from opwright import opset18 as op


@script()
def F(x: FLOAT["M", "N"], last: Literal[0, 1] = 1):
    return op.Softmax(x, axis=-1 if last else 0)
