from collections.abc import Sequence

from opwright import BFLOAT16, FLOAT
from opwright import opset18 as op


def im2col(self, kernel_size: Sequence[int], dilation: Sequence[int], padding: Sequence[int], stride: Sequence[int]):
    x = op.Cast(self, to=FLOAT) if self.dtype == BFLOAT16 else self
    if self.rank == 3:
        x = op.Unsqueeze(x, 0)
    x = op.Pad(x, op.Constant(value_ints=padding), None, [2, 3])
    rows = _places(x.shape[2], kernel_size[0], dilation[0], stride[0])
    columns = _places(x.shape[3], kernel_size[1], dilation[1], stride[1])
    # batch, channels, rows of a block, rows of blocks, columns of a block, columns of blocks
    blocks = op.Transpose(op.Gather(op.Gather(x, rows, axis=2), columns, axis=4), perm=[0, 1, 2, 4, 3, 5])
    sizes = op.Shape(blocks)
    elements = op.ReduceProd(sizes[1:4])
    y = op.Reshape(blocks, op.Concat(sizes[:1], elements, op.ReduceProd(sizes[4:]), axis=0), allowzero=1)
    if self.rank == 3:
        y = op.Squeeze(y, 0)
    return op.Cast(y, to=BFLOAT16) if self.dtype == BFLOAT16 else y


def _places(size, kernel, dilation, stride):
    """The places of each element of a block, in each block."""
    begins = op.Range(0, size - dilation * (kernel - 1), stride)
    return op.Unsqueeze(op.Range(0, kernel, 1) * dilation, 1) + begins
