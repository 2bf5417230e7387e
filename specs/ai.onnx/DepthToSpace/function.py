from typing import Literal

from opwright import opset13 as op


def DepthToSpace(input, blocksize: int, mode: Literal["DCR", "CRD"] = "DCR"):
    """Channels become rows and columns of a block and a smaller depth; rows then go behind h, and columns behind w."""
    shape = op.Shape(input)
    n, c, hw = op.Slice(shape, [0], [1]), op.Slice(shape, [1], [2]), op.Slice(shape, [2], [4])
    depth = c / blocksize / blocksize
    if mode == "DCR":
        blocks = reshape(input, op.Concat(n, [blocksize, blocksize], depth, hw, axis=0))
        moved = op.Transpose(blocks, perm=[0, 3, 4, 1, 5, 2])
    else:
        blocks = reshape(input, op.Concat(n, depth, [blocksize, blocksize], hw, axis=0))
        moved = op.Transpose(blocks, perm=[0, 1, 4, 2, 5, 3])
    return reshape(moved, op.Concat(n, depth, hw * blocksize, axis=0))


def reshape(x, shape):
    """Dimensions of length 0 stay what they are."""
    if op.version < 14:
        return op.Reshape(x, shape)
    return op.Reshape(x, shape, allowzero=1)
