from collections.abc import Sequence

from opwright import BOOL, UINT8
from opwright import opset18 as op


def all_dims(self, dim: Sequence[int] | None = None, keepdim: bool = False):
    """For uint8 the result is uint8 as well, 0 or 1; otherwise it is bool."""
    x = self if self.dtype == BOOL else op.Cast(self, to=BOOL)
    x = op.Cast(x, to=UINT8)
    if dim is None:
        y = op.ReduceMin(x, keepdims=keepdim)
    else:
        y = op.ReduceMin(x, op.Constant(value_ints=dim), keepdims=keepdim, noop_with_empty_axes=True)
    y = op.Cast(y, to=BOOL)
    return op.Cast(y, to=UINT8) if self.dtype == UINT8 else y
