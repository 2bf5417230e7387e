from collections.abc import Sequence

from opwright import opset18 as op

from ..upsample_bilinear2d_aa.function import antialiased


def upsample_bicubic2d_aa(self, output_size, steps=None, *, align_corners: bool, lengths: Sequence[int] | None = None):
    return antialiased(self, output_size, steps, lengths, align_corners, 2, cubic)


def cubic(distance):
    near = (1.5 * distance - 2.5) * distance * distance + 1
    far = ((-0.5 * distance + 2.5) * distance - 4) * distance + 2
    return op.Where(distance < 1, near, op.Where(distance < 2, far, 0.0))
