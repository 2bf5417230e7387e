from typing import Literal

from opwright import opset18 as op


def new_empty(size, *, dtype: int | None = None, expands: Literal[False, True] = False):
    if expands:
        assert dtype is not None
        return op.Expand(op.Cast(0, to=dtype), size)
    elements = op.ConstantOfShape(size)
    return elements if dtype is None else op.Cast(elements, to=dtype)
