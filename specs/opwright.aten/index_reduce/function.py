from collections.abc import Sequence
from typing import Literal

from opwright import BFLOAT16, DOUBLE, FLOAT, FLOAT16
from opwright import opset18 as op


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
    x = self
    if self.dtype in (FLOAT16, BFLOAT16):
        x, source = op.Cast(self, to=FLOAT), op.Cast(source, to=FLOAT)
    if reduce in ("amax", "amin"):
        if not include_self:  # any of the elements that come to a place
            x = op.ScatterElements(x, places, source, axis=dim)
        y = op.ScatterElements(x, places, source, axis=dim, reduction="max" if reduce == "amax" else "min")
    else:
        if not include_self:
            nothing = op.Expand(op.CastLike(1 if reduce == "prod" else 0, x), op.Shape(source))
            x = op.ScatterElements(x, places, nothing, axis=dim)
        y = op.ScatterElements(x, places, source, axis=dim, reduction="mul" if reduce == "prod" else "add")
        if reduce == "mean":
            one = op.CastLike(1, x)
            count, each = op.Expand(one, op.Shape(x)), op.Expand(one, op.Shape(source))
            if not include_self:
                count = op.ScatterElements(count, places, nothing, axis=dim)
            count = op.ScatterElements(count, places, each, axis=dim, reduction="add")
            if not include_self:
                count = op.Max(count, one)  # nothing has come there
            y = y / count if self.dtype in (FLOAT16, BFLOAT16, FLOAT, DOUBLE) else y // count
    return op.CastLike(y, self) if self.dtype in (FLOAT16, BFLOAT16) else y
