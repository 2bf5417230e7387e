"""static.dict: A branch for each answer."""

from typing import Literal

from opwright import FLOAT, script
from opwright import opset18 as op


@script()
def F(x: FLOAT["N"], kind: Literal["neg", "abs"] = "neg"):
    functions = {"neg": op.Neg, "abs": op.Abs}
    for name, scale in {"a": 2, "b": 3}.items():
        x = x * scale + len(name)
    return functions[kind](x) + len(functions)
