from opwright import BFLOAT16, FLOAT
from opwright import opset20 as op


def affine_grid_generator(theta, size, *, align_corners: bool):
    x = op.Cast(theta, to=FLOAT) if theta.dtype == BFLOAT16 else theta
    grid = op.AffineGrid(x, size, align_corners=align_corners)
    return op.Cast(grid, to=BFLOAT16) if theta.dtype == BFLOAT16 else grid
