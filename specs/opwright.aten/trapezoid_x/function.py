from collections.abc import Sequence

from opwright import opset18 as op


def trapezoid_x(y, x, dim: int, trailing: Sequence[int]):
    axes = op.Constant(value_ints=[dim])
    later, former = op.Slice(y, [1], [(1 << 63) - 1], axes), op.Slice(y, [0], [-1], axes)
    # The points of all or of each line: their last dimension is the one of the integral.
    along = op.Constant(value_ints=[-1]) if x.rank == 1 else axes
    width = op.Slice(x, [1], [(1 << 63) - 1], along) - op.Slice(x, [0], [-1], along)
    if x.rank == 1:
        width = op.Unsqueeze(width, trailing)
    return op.ReduceSum((later + former) * width, axes, keepdims=False) / 2
