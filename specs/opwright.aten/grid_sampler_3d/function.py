from typing import Literal

from opwright import BFLOAT16, FLOAT
from opwright import opset20 as op


def grid_sampler_3d(
    input,
    grid,
    *,
    interpolation_mode: Literal[0, 1],
    padding_mode: Literal[0, 1, 2],
    align_corners: bool,
):
    x, places = (op.Cast(input, to=FLOAT), op.Cast(grid, to=FLOAT)) if input.dtype == BFLOAT16 else (input, grid)
    padding = ("zeros", "border", "reflection")[padding_mode]
    mode = ("linear", "nearest")[interpolation_mode]
    y = op.GridSample(x, places, mode=mode, padding_mode=padding, align_corners=align_corners)
    return op.Cast(y, to=BFLOAT16) if input.dtype == BFLOAT16 else y
