"""static.text: Its text is known in each variant."""

from typing import Literal

from opwright import FLOAT, script
from opwright import opset18 as op


@script()
def F(x: FLOAT["M", "N"], mode: Literal["edge", "reflect"] = "edge"):
    return op.Pad(x, [0, 1, 0, 0], mode=f"{mode}")
