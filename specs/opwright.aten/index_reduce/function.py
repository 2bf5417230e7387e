from collections.abc import Sequence
from typing import Literal

from opwright import opset18 as op

from ..scatter_reduce_two.function import combined


def index_reduce(
    self,
    index,
    source,
    dim: int,
    reduce: Literal["prod", "mean", "amax", "amin"],
    *,
    include_self: Literal[True, False] = True,
    column: Sequence[int],
):
    places = op.Expand(op.Reshape(index, column), op.Shape(source))
    return combined(self, places, source, dim, reduce, include_self)
