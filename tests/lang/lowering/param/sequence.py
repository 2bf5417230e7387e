"""param.sequence: Lists of numbers or texts."""

from typing import Sequence

from opwright import FLOAT, script
from opwright import opset18 as op


@script()
def F(x: FLOAT["M", "N"], axes: Sequence[int] = (0,)):
    return op.Unsqueeze(x, axes)
