from collections.abc import Sequence

from opwright import DOUBLE, FLOAT, INT64
from opwright import opset18 as op


def upsample_nearest_exact2d_vec(input, output_size=None, steps=None, *, scales: Sequence[float] | None = None):
    if output_size is None:
        lengths = op.Cast(op.Shape(input, start=2), to=DOUBLE)
        output_size = op.Cast(op.Floor(lengths * op.Cast(op.Constant(value_floats=scales), to=DOUBLE)), to=INT64)
    kind = DOUBLE if input.dtype == DOUBLE else FLOAT
    for axis in range(2):
        length, size = op.Shape(input, start=2 + axis, end=3 + axis), output_size[axis : axis + 1]
        if steps is None:
            step = op.Cast(length, to=kind) / op.Cast(size, to=kind)
        else:
            step = op.Cast(steps[axis : axis + 1], to=kind)
        places = op.Floor((op.Cast(op.Range(0, op.Squeeze(size), 1), to=kind) + 0.5) * step)
        input = op.Gather(input, op.Min(op.Cast(places, to=INT64), length - 1), axis=2 + axis)
    return input
