"""param.literal: An attribute of few values: each has a body of its own."""

from typing import Literal

from opwright import FLOAT, script
from opwright import opset18 as op


@script()
def F(x: FLOAT["N"], mode: Literal["up", "down"] = "up"):
    if mode == "up":
        return op.Ceil(x)
    return op.Floor(x)
