from collections.abc import Sequence

from opwright import BFLOAT16, FLOAT
from opwright import opset18 as op


def repeat_interleave_self_int(
    self,
    counts,
    axes: Sequence[int] | None = None,
    shape: Sequence[int] | None = None,
    whole: bool = False,
    dim: int = 0,
    behind: int = 1,
):
    x = op.Cast(self, to=FLOAT) if self.dtype == BFLOAT16 else self
    if axes is None:
        y = op.Reshape(op.Tile(op.Reshape(x, [-1, 1]), counts), [-1])
    elif shape is not None:
        y = op.Reshape(op.Tile(op.Unsqueeze(x, axes), counts), shape, allowzero=whole)
    else:
        joined = op.Shape(self, start=dim, end=behind) * op.ReduceProd(counts)
        sizes = op.Concat(op.Shape(self, start=0, end=dim), joined, op.Shape(self, start=behind), axis=0)
        y = op.Reshape(op.Tile(op.Unsqueeze(x, axes), counts), sizes, allowzero=1)
    return op.CastLike(y, self) if self.dtype == BFLOAT16 else y
