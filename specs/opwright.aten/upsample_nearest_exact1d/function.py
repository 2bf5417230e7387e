from collections.abc import Sequence

from opwright import DOUBLE, FLOAT, INT64
from opwright import opset18 as op

from ..upsample_bilinear2d_aa.function import length_of


def upsample_nearest_exact1d(self, output_size, steps=None, *, lengths: Sequence[int] | None = None):
    return nearest(self, output_size, steps, lengths, 1)


def nearest(x, output_size, steps, lengths, dimensions: int):
    """The elements in which the middles of the new ones lie, of that many dimensions after batch and channels."""
    kind = DOUBLE if x.dtype == DOUBLE else FLOAT
    for axis in range(dimensions):
        length, size = length_of(x, 2 + axis, lengths), output_size[axis : axis + 1]
        if steps is None:
            step = op.Cast(length, to=kind) / op.Cast(size, to=kind)
        else:
            step = op.Cast(steps[axis : axis + 1], to=kind)
        places = op.Floor((op.Cast(op.Range(0, op.Squeeze(size), 1), to=kind) + 0.5) * step)
        x = op.Gather(x, op.Min(op.Cast(places, to=INT64), length - 1), axis=2 + axis)
    return x
