from typing import Literal

from opwright import BFLOAT16, BOOL, DOUBLE, FLOAT, FLOAT16
from opwright import opset18 as op


def scatter_reduce_two(
    self,
    index,
    src,
    dim: int,
    reduce: Literal["sum", "prod", "mean", "amax", "amin"],
    include_self: Literal[True, False] = True,
    whole: Literal[False, True] = False,
):
    if not whole:
        size = op.Shape(index)
        src = op.Slice(src, size - size, size)
    return combined(self, index, src, dim, reduce, include_self)


def combined(given, index, src, dim, reduce, include_self):
    """Elements combined with those of `src`, which has a position for each."""
    x = given
    if given.dtype in (FLOAT16, BFLOAT16):
        x, src = op.Cast(given, to=FLOAT), op.Cast(src, to=FLOAT)
    if reduce in ("amax", "amin"):
        if not include_self:  # any of the elements that come to a place
            x = op.ScatterElements(x, index, src, axis=dim)
        if given.dtype == BOOL:
            y = op.ScatterElements(x, index, src, axis=dim, reduction="add" if reduce == "amax" else "mul")
        else:
            y = op.ScatterElements(x, index, src, axis=dim, reduction="max" if reduce == "amax" else "min")
    else:
        if not include_self:
            nothing = op.Expand(op.CastLike(1 if reduce == "prod" else 0, x), op.Shape(index))
            x = op.ScatterElements(x, index, nothing, axis=dim)
        y = op.ScatterElements(x, index, src, axis=dim, reduction="mul" if reduce == "prod" else "add")
        if reduce == "mean":
            one = op.CastLike(1, x)
            count, each = op.Expand(one, op.Shape(x)), op.Expand(one, op.Shape(index))
            if not include_self:
                count = op.ScatterElements(count, index, nothing, axis=dim)
            count = op.ScatterElements(count, index, each, axis=dim, reduction="add")
            y = y / count if given.dtype in (FLOAT16, BFLOAT16, FLOAT, DOUBLE) else y // count
    return op.CastLike(y, given) if given.dtype in (FLOAT16, BFLOAT16) else y
