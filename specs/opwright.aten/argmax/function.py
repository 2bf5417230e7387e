from typing import Literal

import numpy as np
from opwright import opset18 as op


def argmax(self, dim: int | None = None, keepdim: Literal[False, True] = False):
    if dim is not None:
        return op.ArgMax(self, axis=dim, keepdims=keepdim)
    place = op.ArgMax(op.Reshape(self, [-1]), axis=0, keepdims=False)
    if keepdim:
        place = op.Reshape(place, op.ConstantOfShape(op.Shape(op.Shape(self)), value=np.array([1])))
    return place
