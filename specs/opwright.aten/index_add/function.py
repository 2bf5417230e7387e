from collections.abc import Sequence

from opwright import BFLOAT16, BOOL, FLOAT, FLOAT16
from opwright import opset18 as op


def index_add(self, index, source, alpha=None, *, dim: int, column: Sequence[int]):
    if alpha is not None:
        source = source & alpha if self.dtype == BOOL else source * alpha
    places = op.Expand(op.Reshape(index, column), op.Shape(source))
    if self.dtype not in (FLOAT16, BFLOAT16):
        return op.ScatterElements(self, places, source, axis=dim, reduction="add")
    y = op.ScatterElements(op.Cast(self, to=FLOAT), places, op.Cast(source, to=FLOAT), axis=dim, reduction="add")
    return op.CastLike(y, self)
