from collections.abc import Sequence

from ..upsample_bilinear2d_aa.function import antialiased, sizes_of
from ..upsample_lanczos2d_aa.function import lanczos


def upsample_lanczos2d_aa_vec(
    input, output_size=None, steps=None, *, align_corners: bool, scales: Sequence[float] | None = None
):
    if output_size is None:
        output_size = sizes_of(input, scales)
    return antialiased(input, output_size, steps, align_corners, 3, lanczos)
