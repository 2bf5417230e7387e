from typing import Literal

from opwright import opset13 as op


def SpaceToDepth(input, blocksize: int, mode: Literal["DCR", "CRD"] = "DCR"):
    """Rows and columns of blocks become dimensions, which then go before the channels or behind them."""
    shape = op.Shape(input)
    n, c = op.Slice(shape, [0], [1]), op.Slice(shape, [1], [2])
    rows, columns = op.Slice(shape, [2], [3]) / blocksize, op.Slice(shape, [3], [4]) / blocksize
    blocks = reshape(input, op.Concat(n, c, rows, [blocksize], columns, [blocksize], axis=0))
    if mode == "DCR":
        moved = op.Transpose(blocks, perm=[0, 3, 5, 1, 2, 4])
    else:
        moved = op.Transpose(blocks, perm=[0, 1, 3, 5, 2, 4])
    return reshape(moved, op.Concat(n, c * blocksize * blocksize, rows, columns, axis=0))


def reshape(x, shape):
    """Dimensions of length 0 stay what they are."""
    if op.version < 14:
        return op.Reshape(x, shape)
    return op.Reshape(x, shape, allowzero=1)
