from collections.abc import Sequence

from ..upsample_bicubic2d_aa.function import cubic
from ..upsample_bilinear2d_aa.function import antialiased, sizes_of


def upsample_bicubic2d_aa_vec(
    input, output_size=None, steps=None, *, align_corners: bool, scales: Sequence[float] | None = None
):
    if output_size is None:
        output_size = sizes_of(input, scales)
    return antialiased(input, output_size, steps, align_corners, 2, cubic)
