"""param.literal: A variant has what its value decides, and no attribute any more."""

from typing import Literal

from opwright import FLOAT, script
from opwright import opset18 as op


@script()
def F(x: FLOAT["N"], kind: Literal["exp", "log"] = "exp", alpha: float = 1.0):
    if kind == "exp":
        return op.Exp(x * alpha)
    return op.Log(x)
