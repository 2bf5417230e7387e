from typing import Literal

from opwright import opset18 as op


def zeros_like(self, *, dtype: int | None = None, expands: Literal[False, True] = False):
    if expands:
        assert dtype is not None
        return op.Expand(op.Cast(0, to=dtype), op.Shape(self))
    elements = op.ConstantOfShape(op.Shape(self))
    return elements if dtype is None else op.Cast(elements, to=dtype)
