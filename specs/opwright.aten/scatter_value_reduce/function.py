from typing import Literal

from opwright import BFLOAT16, FLOAT, FLOAT16
from opwright import opset18 as op


def scatter_value_reduce(self, index, value, dim: int, *, reduce: Literal["add", "multiply"]):
    how = "add" if reduce == "add" else "mul"
    if self.dtype not in (FLOAT16, BFLOAT16):
        return op.ScatterElements(self, index, op.Expand(value, op.Shape(index)), axis=dim, reduction=how)
    elements = op.Expand(op.Cast(value, to=FLOAT), op.Shape(index))
    return op.CastLike(op.ScatterElements(op.Cast(self, to=FLOAT), index, elements, axis=dim, reduction=how), self)
