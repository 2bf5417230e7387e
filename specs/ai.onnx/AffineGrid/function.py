from opwright import DOUBLE
from opwright import opset13 as op

LAST = 9223372036854775807


def AffineGrid(theta, size, align_corners: int = 0):
    """Every pixel's indices, mapped to [-1, 1], times theta: one MatMul, the same nodes for 2-D and 3-D.

    Every coordinate is rounded once. In float the standard's body loses up to 496 units in the last place where terms
    cancel, and it has 113 nodes for these 36.

    The centres are (2 i + 1) / d - 1, or 2 i / (d - 1) - 1 between aligned corners (-1 where d is 1), in double.
    """
    spatial = op.Slice(size, [2], [LAST])
    # NonZero lists the indices of all pixels, a row for each dimension; x, the last one, comes first in theta.
    pixels = op.Cast(op.NonZero(op.ConstantOfShape(spatial, value=[True])), to=DOUBLE)
    extent = op.Max(op.Cast(op.Unsqueeze(spatial, [1]), to=DOUBLE) - align_corners, 1)
    centres = (pixels * 2 + (1 - align_corners)) / extent - 1
    centres = op.Slice(centres, [-1], [-LAST], None, [-1])
    homogeneous = op.Pad(centres, [0, 0, 1, 0], DOUBLE(1))
    grid = op.Transpose(op.MatMul(op.Cast(theta, to=DOUBLE), homogeneous), perm=[0, 2, 1])
    shape = op.Concat(op.Slice(size, [0], [1]), spatial, op.Shape(spatial), axis=0)
    return like(op.Reshape(grid, shape), theta)


def like(value, x):
    if op.version < 15:
        return op.Cast(value, to=x.dtype)
    return op.CastLike(value, x)
