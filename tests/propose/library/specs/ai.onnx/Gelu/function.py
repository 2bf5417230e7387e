from typing import Literal

from opwright import opset20 as op


def Gelu(X, approximate: Literal["none", "tanh"] = "none"):
    if approximate == "tanh":
        return 0.5 * X * (1 + op.Tanh(0.7978845608028654 * (X + 0.044715 * X * X * X)))
    return 0.5 * X * (1 + op.Tanh(X))
