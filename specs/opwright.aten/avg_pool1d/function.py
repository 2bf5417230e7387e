from collections.abc import Sequence

from opwright import BFLOAT16, FLOAT
from opwright import opset18 as op


def avg_pool1d(
    self,
    kernel_size: Sequence[int],
    *,
    stride: Sequence[int],
    padding: Sequence[int] = (0, 0),
    counts_padding: bool = True,
    zeros: Sequence[int] | None = None,
):
    x = self if zeros is None else op.Pad(self, op.Constant(value_ints=zeros))
    if self.rank == 2:
        x = op.Unsqueeze(x, 0)
    if self.dtype == BFLOAT16 and op.version < 22:
        x = op.Cast(x, to=FLOAT)
    y = op.AveragePool(x, kernel_shape=kernel_size, strides=stride, pads=padding, count_include_pad=counts_padding)
    if self.dtype == BFLOAT16 and op.version < 22:
        y = op.Cast(y, to=BFLOAT16)
    return op.Squeeze(y, 0) if self.rank == 2 else y
