import numpy as np
from opwright import opset18 as op


def ones(size, *, dtype: int | None = None):
    elements = op.ConstantOfShape(size, value=np.array([1], np.float32))
    return elements if dtype is None else op.Cast(elements, to=dtype)
