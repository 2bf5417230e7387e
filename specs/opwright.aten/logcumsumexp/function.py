from typing import Literal

from opwright import BFLOAT16, FLOAT, FLOAT16
from opwright import opset18 as op


def logcumsumexp(self, dim: int, is_empty: Literal[False, True] = False):
    """The larger one of sum and element is taken out of the exponentials, so that none overflows."""
    if is_empty:
        return self
    x = op.Cast(self, to=FLOAT) if self.dtype in (FLOAT16, BFLOAT16) else self
    total = op.Gather(x, 0, axis=dim)
    found = [total]
    for place in range(1, op.Gather(op.Shape(x), dim)):
        item = op.Gather(x, place, axis=dim)
        distance = op.Where(total == item, 0, op.Abs(total - item))
        total = op.Max(total, item) + op.Log(op.Exp(-distance) + 1)
        found.append(total)
    result = op.ConcatFromSequence(found, axis=dim, new_axis=1)
    return op.CastLike(result, self) if self.dtype in (FLOAT16, BFLOAT16) else result
