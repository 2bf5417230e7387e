from collections.abc import Sequence
from typing import Literal

from opwright import opset18 as op


def slice_scatter(
    self,
    src,
    start,
    end,
    step,
    dim: int = 0,
    axes: Sequence[int] = (0,),
    column: Sequence[int] = (-1,),
    joined: Literal[False, True] = False,
    before: Sequence[int] | None = None,
    behind: Sequence[int] | None = None,
):
    if not joined:
        size = op.Gather(op.Shape(self), dim)
        places = op.Slice(op.Range(0, size, 1), start, end, [0], step)
        return op.ScatterElements(self, op.Expand(op.Reshape(places, column), op.Shape(src)), src, axis=dim)
    parts = [src]
    if before is not None:
        parts = [op.Slice(self, [0], before, axes), *parts]
    if behind is not None:
        parts = [*parts, op.Slice(self, behind, [(1 << 63) - 1], axes)]
    return op.Concat(*parts, axis=dim) if len(parts) > 1 else src
