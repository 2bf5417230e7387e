from collections.abc import Sequence

from ..upsample_bilinear2d_aa.function import antialiased, sizes_of
from ..upsample_lanczos2d_aa.function import lanczos


def upsample_lanczos2d_aa_vec(
    input,
    output_size=None,
    steps=None,
    *,
    align_corners: bool,
    scales: Sequence[float] | None = None,
    lengths: Sequence[int] | None = None,
):
    if output_size is None:
        assert lengths is None  # sizes that are known are `output_size`
        output_size = sizes_of(input, scales)
    return antialiased(input, output_size, steps, lengths, align_corners, 3, lanczos)
