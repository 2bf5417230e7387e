from typing import Literal

from opwright import BFLOAT16, BOOL, FLOAT, INT64, UINT8
from opwright import opset18 as op


def mode(self, dim: int = -1, keepdim: Literal[False, True] = False):
    """Each element is compared with each: in order, equal ones follow on the first one of them."""
    if self.dtype == BOOL:
        x = op.Cast(self, to=UINT8)
    elif self.dtype == BFLOAT16:
        x = op.Cast(self, to=FLOAT)
    else:
        x = self
    axes = op.Constant(value_ints=[dim])
    values, places = op.TopK(x, op.Gather(op.Shape(x), axes), axis=dim, largest=False)
    equal = op.Unsqueeze(values, axes) == op.Unsqueeze(values, axes + 1)
    counts = op.ReduceSum(op.Cast(equal, to=INT64), axes, keepdims=False)
    first = op.ArgMax(counts, axis=dim)
    value = op.GatherElements(values, first, axis=dim)
    place = op.GatherElements(places, first + op.ReduceMax(counts, axes) - 1, axis=dim)
    if not keepdim:
        value, place = op.Squeeze(value, axes), op.Squeeze(place, axes)
    return op.CastLike(value, self) if self.dtype in (BOOL, BFLOAT16) else value, place
