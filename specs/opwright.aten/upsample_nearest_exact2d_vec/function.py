from collections.abc import Sequence

from ..upsample_bilinear2d_aa.function import sizes_of
from ..upsample_nearest_exact1d.function import nearest


def upsample_nearest_exact2d_vec(
    input, output_size=None, steps=None, *, scales: Sequence[float] | None = None, lengths: Sequence[int] | None = None
):
    if output_size is None:
        assert lengths is None  # sizes that are known are `output_size`
        output_size = sizes_of(input, scales)
    return nearest(input, output_size, steps, lengths, 2)
