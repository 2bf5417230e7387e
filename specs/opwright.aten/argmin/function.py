from typing import Literal

import numpy as np
from opwright import opset18 as op


def argmin(self, dim: int | None = None, keepdim: Literal[False, True] = False):
    if dim is not None:
        return op.ArgMin(self, axis=dim, keepdims=keepdim)
    place = op.ArgMin(op.Reshape(self, [-1]), axis=0, keepdims=False)
    if keepdim:
        place = op.Reshape(place, op.ConstantOfShape(op.Shape(op.Shape(self)), value=np.array([1])))
    return place
