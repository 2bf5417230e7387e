from collections.abc import Sequence
from typing import Literal

from opwright import BFLOAT16, FLOAT, INT16, INT32, INT64, UINT8
from opwright import opset18 as op


def unique_consecutive(
    self,
    return_inverse: Literal[False, True] = False,
    return_counts: Literal[False, True] = False,
    dim: int | None = None,
    others: Sequence[int] | None = None,
    by_elements: Literal[False, True] = False,
):
    """Parts along a dimension are compared as a whole."""
    if self.dtype == BFLOAT16:
        x = op.Cast(self, to=FLOAT)
    elif self.dtype == INT16:
        x = op.Cast(self, to=INT32)
    else:
        x = self
    along = op.Constant(value_ints=[0] if dim is None else [dim])
    if dim is None or others is None:
        x = op.Reshape(x, [-1])
        size = op.Shape(x)
    else:
        size = op.Gather(op.Shape(x), along)
    differs = op.Slice(x, [1], [(1 << 63) - 1], along) != op.Slice(x, [0], [-1], along)
    if dim is not None and others is not None:
        axes = op.Constant(value_ints=others)
        differs = op.Cast(op.ReduceMax(op.Cast(differs, to=UINT8), axes, keepdims=False, noop_with_empty_axes=1), to=9)
    starts = op.Slice(op.Concat(op.Constant(value_int=1) == [1], differs, axis=0), [0], size)
    values = op.Compress(x, starts, axis=0 if dim is None else dim)
    nothing = op.Constant(value_ints=[])
    inverse, counts = nothing, nothing
    if return_inverse or (dim is not None and not (by_elements and self.rank == 1)):
        inverse = op.CumSum(op.Cast(starts, to=INT64), 0) - 1
        if dim is None:
            inverse = op.Reshape(inverse, op.Shape(self))
    if return_counts or (dim is not None and not (by_elements and self.rank == 1)):
        places = op.Squeeze(op.NonZero(starts), [0])
        counts = op.Concat(op.Slice(places, [1], [(1 << 63) - 1]), size, axis=0) - places
    return op.CastLike(values, self) if self.dtype in (BFLOAT16, INT16) else values, inverse, counts
