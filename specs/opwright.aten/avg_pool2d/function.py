from collections.abc import Sequence

from opwright import BFLOAT16, FLOAT
from opwright import opset18 as op


def avg_pool2d(
    self,
    kernel_size: Sequence[int],
    *,
    stride: Sequence[int],
    padding: Sequence[int] = (0, 0, 0, 0),
    counts_padding: bool = True,
    zeros: Sequence[int] | None = None,
    divisor_override: int | None = None,
    elements: int = 1,
):
    if divisor_override is not None or zeros is None:
        x = self
    else:
        x = op.Pad(self, op.Constant(value_ints=zeros))
    if self.rank == 3:
        x = op.Unsqueeze(x, 0)
    if self.dtype == BFLOAT16:
        x = op.Cast(x, to=FLOAT)
    y = op.AveragePool(x, kernel_shape=kernel_size, strides=stride, pads=padding, count_include_pad=counts_padding)
    if divisor_override is not None:
        y = y * op.CastLike(elements, y) / op.CastLike(divisor_override, y)
    if self.dtype == BFLOAT16:
        y = op.Cast(y, to=BFLOAT16)
    return op.Squeeze(y, 0) if self.rank == 3 else y
