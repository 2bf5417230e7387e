from collections.abc import Sequence

from opwright import BFLOAT16, BOOL, FLOAT, FLOAT16
from opwright import opset18 as op


def col2im(
    self,
    output_size,
    kernel_size: Sequence[int],
    dilation: Sequence[int],
    padding: Sequence[int],
    stride: Sequence[int],
):
    x = op.Cast(self, to=FLOAT) if self.dtype in (FLOAT16, BFLOAT16, BOOL) else self
    if self.rank == 2:
        x = op.Unsqueeze(x, 0)
    y = op.Col2Im(x, output_size, op.Constant(value_ints=kernel_size), dilations=dilation, pads=padding, strides=stride)
    if self.rank == 2:
        y = op.Squeeze(y, 0)
    return op.Cast(y, to=self.dtype) if self.dtype in (FLOAT16, BFLOAT16, BOOL) else y
