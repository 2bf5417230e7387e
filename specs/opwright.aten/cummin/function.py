from typing import Literal

from opwright import BFLOAT16, BOOL, DOUBLE, FLOAT, FLOAT16, INT16, INT32, INT64, UINT8
from opwright import opset18 as op


def cummin(self, dim: int, is_empty: Literal[False, True] = False):
    """Of equal elements it is the last one; once there is nan it stays."""
    if is_empty:
        return self, op.Cast(self, to=INT64)
    if self.dtype == BOOL:
        x = op.Cast(self, to=UINT8)
    elif self.dtype == INT16:
        x = op.Cast(self, to=INT32)
    elif self.dtype == BFLOAT16:
        x = op.Cast(self, to=FLOAT)
    else:
        x = self
    best = op.Gather(x, 0, axis=dim)
    place = op.Expand(op.Constant(value_int=0), op.Shape(best))
    values, places = [best], [place]
    for number in range(1, op.Gather(op.Shape(x), dim)):
        item = op.Gather(x, number, axis=dim)
        better = item <= best
        if self.dtype in (FLOAT16, BFLOAT16, FLOAT, DOUBLE):
            better = better | op.IsNaN(item)
        best, place = op.Where(better, item, best), op.Where(better, number, place)
        values.append(best)
        places.append(place)
    result = op.ConcatFromSequence(values, axis=dim, new_axis=1)
    indices = op.ConcatFromSequence(places, axis=dim, new_axis=1)
    return op.CastLike(result, self) if self.dtype in (BOOL, INT16, BFLOAT16) else result, indices
