from collections.abc import Sequence

from opwright import BFLOAT16, FLOAT
from opwright import opset18 as op


def max_pool1d(
    self,
    kernel_size: Sequence[int],
    *,
    stride: Sequence[int],
    padding: Sequence[int] = (0, 0),
    dilation: Sequence[int] = (1,),
):
    x = op.Unsqueeze(self, 0) if self.rank == 2 else self
    if self.dtype == BFLOAT16 and op.version < 22:
        x = op.Cast(x, to=FLOAT)
    y = op.MaxPool(x, kernel_shape=kernel_size, strides=stride, pads=padding, dilations=dilation)
    if self.dtype == BFLOAT16 and op.version < 22:
        y = op.CastLike(y, self)
    return op.Squeeze(y, 0) if self.rank == 2 else y
