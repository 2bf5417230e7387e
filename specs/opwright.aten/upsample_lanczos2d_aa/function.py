import math
from collections.abc import Sequence

from opwright import opset18 as op

from ..upsample_bilinear2d_aa.function import antialiased


def upsample_lanczos2d_aa(self, output_size, steps=None, *, align_corners: bool, lengths: Sequence[int] | None = None):
    return antialiased(self, output_size, steps, lengths, align_corners, 3, lanczos)


def lanczos(distance):
    angle = math.pi * distance
    wave = op.Sin(angle) * op.Sin(angle / 3) / (angle * angle / 3)
    return op.Where(distance == 0, 1.0, op.Where(distance < 3, wave, 0.0))
