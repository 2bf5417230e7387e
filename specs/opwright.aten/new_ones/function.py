from typing import Literal

import numpy as np
from opwright import opset18 as op


def new_ones(size, *, dtype: int | None = None, expands: Literal[False, True] = False):
    if expands:
        assert dtype is not None
        return op.Expand(op.Cast(1, to=dtype), size)
    elements = op.ConstantOfShape(size, value=np.array([1], np.float32))
    return elements if dtype is None else op.Cast(elements, to=dtype)
