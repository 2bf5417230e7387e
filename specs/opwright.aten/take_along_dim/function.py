from collections.abc import Sequence
from typing import Literal

from opwright import BFLOAT16, FLOAT
from opwright import opset18 as op


def take_along_dim(
    self, indices, dim: int | None = None, axes: Sequence[int] = (0,), whole: Literal[False, True] = False
):
    if dim is None:
        return op.GatherElements(op.Reshape(self, [-1]), op.Reshape(indices, [-1]))
    if whole:
        return op.GatherElements(self, indices, axis=dim)
    own = op.ScatterElements(op.Shape(self), axes, [1])
    shape = op.ScatterElements(op.Shape(indices), axes, [1])
    indices = op.Expand(indices, own)
    if self.dtype == BFLOAT16:
        return op.CastLike(op.GatherElements(op.Expand(op.Cast(self, to=FLOAT), shape), indices, axis=dim), self)
    return op.GatherElements(op.Expand(self, shape), indices, axis=dim)
