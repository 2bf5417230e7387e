from collections.abc import Sequence
from typing import Literal

from opwright import BFLOAT16, DOUBLE, FLOAT, INT64
from opwright import opset18 as op

from ..upsample_bilinear2d_aa.function import length_of, sizes_of


def upsample_nearest3d_vec(
    input,
    output_size=None,
    steps=None,
    *,
    by_index: Literal[False, True] = False,
    scales: Sequence[float] | None = None,
    lengths: Sequence[int] | None = None,
):
    if by_index:
        return _by_index(input, output_size, steps, scales, lengths)
    x = op.Cast(input, to=FLOAT) if input.dtype == BFLOAT16 else input
    factors = None if output_size is not None else op.Constant(value_floats=scales)
    x = op.Resize(
        x,
        None,
        factors,
        None if output_size is None else op.Reshape(output_size, [3]),  # so that it is known how many they are
        axes=[2, 3, 4],
        mode="nearest",
        coordinate_transformation_mode="asymmetric",
        nearest_mode="floor",
    )
    return op.Cast(x, to=BFLOAT16) if input.dtype == BFLOAT16 else x


def _by_index(x, output_size, steps, scales, lengths):
    kind = DOUBLE if x.dtype == DOUBLE else FLOAT
    if output_size is None:
        assert lengths is None  # sizes that are known are `output_size`
        output_size = sizes_of(x, scales)
    for axis in range(3):
        length, size = length_of(x, 2 + axis, lengths), output_size[axis : axis + 1]
        if steps is None:
            step = op.Cast(length, to=kind) / op.Cast(size, to=kind)
        else:
            step = op.Cast(steps[axis : axis + 1], to=kind)
        places = op.Floor(op.Cast(op.Range(0, op.Squeeze(size), 1), to=kind) * step)
        x = op.Gather(x, op.Min(op.Cast(places, to=INT64), length - 1), axis=2 + axis)
    return x
