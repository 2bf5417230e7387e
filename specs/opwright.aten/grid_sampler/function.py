from typing import Literal

from opwright import BFLOAT16, FLOAT
from opwright import opset18 as op


def grid_sampler(
    input,
    grid,
    *,
    interpolation_mode: Literal[0, 1, 2],
    padding_mode: Literal[0, 1, 2],
    align_corners: bool,
):
    x, places = (op.Cast(input, to=FLOAT), op.Cast(grid, to=FLOAT)) if input.dtype == BFLOAT16 else (input, grid)
    padding = ("zeros", "border", "reflection")[padding_mode]
    if op.version < 20:
        assert input.rank == 4  # GridSample takes images alone there
        mode = ("bilinear", "nearest", "bicubic")[interpolation_mode]
        y = op.GridSample(x, places, mode=mode, padding_mode=padding, align_corners=align_corners)
    else:
        mode = ("linear", "nearest", "cubic")[interpolation_mode]
        y = op.GridSample(x, places, mode=mode, padding_mode=padding, align_corners=align_corners)
    return op.Cast(y, to=BFLOAT16) if input.dtype == BFLOAT16 else y
