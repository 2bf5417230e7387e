from typing import Literal

from opwright import DOUBLE
from opwright import opset18 as op


def linalg_cholesky(self, *, upper: Literal[False, True] = False):
    return cholesky_factor(self, upper)


def cholesky_factor(matrices, upper):
    x = op.Cast(matrices, to=DOUBLE)
    size = op.Squeeze(op.Shape(x, start=-1))
    places = op.Range(0, size, 1)
    y = op.Expand(op.Cast(0, to=DOUBLE), op.Shape(x))
    axis, other = (-2, -1) if upper else (-1, -2)  # along which the vectors are counted, and they lie
    for step in range(size):
        vector = op.Gather(x, op.Unsqueeze(step, [0]), axis=axis)
        behind, here = op.Unsqueeze(places >= step, [axis + 2]), op.Unsqueeze(places == step, [other + 2])
        vector = op.Where(behind, vector / op.Sqrt(op.Gather(vector, op.Unsqueeze(step, [0]), axis=other)), 0.0)
        x = x - vector * _transposed(vector)
        y = op.Where(here, vector, y)
    return op.CastLike(y, matrices)


def _transposed(x):
    return op.Einsum(x, equation="...ij->...ji")
