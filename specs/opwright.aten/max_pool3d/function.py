from collections.abc import Sequence

from opwright import BFLOAT16, DOUBLE, FLOAT, INT16, INT32, INT64
from opwright import opset18 as op


def max_pool3d(
    self,
    kernel_size: Sequence[int],
    *,
    stride: Sequence[int],
    padding: Sequence[int] = (0, 0, 0, 0, 0, 0),
    dilation: Sequence[int] = (1, 1, 1),
):
    x = op.Unsqueeze(self, 0) if self.rank == 4 else self
    numbers = x
    if self.dtype == INT64:
        numbers, x = _ranked(x)
    elif self.dtype in (INT16, INT32):
        x = op.Cast(x, to=DOUBLE)
    elif self.dtype == BFLOAT16 and op.version < 22:
        x = op.Cast(x, to=FLOAT)
    y = op.MaxPool(x, kernel_shape=kernel_size, strides=stride, pads=padding, dilations=dilation)
    if self.dtype == INT64:
        y = op.Gather(numbers, op.Cast(y, to=INT64))
    elif self.dtype in (INT16, INT32) or (self.dtype == BFLOAT16 and op.version < 22):
        y = op.CastLike(y, self)
    return op.Squeeze(y, 0) if self.rank == 4 else y


def _ranked(x):
    """All numbers in order, and of each element its place among them, which double holds exactly."""
    numbers, _, ranks, _ = op.Unique(op.Reshape(x, [-1]), sorted=1)
    return numbers, op.Cast(op.Reshape(ranks, op.Shape(x)), to=DOUBLE)
