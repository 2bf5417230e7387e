from collections.abc import Sequence

from opwright import INT64
from opwright import opset13 as op


def CenterCropPad(input_data, shape, axes: Sequence[int] | None = None):
    """All dimensions are cropped, then padded, by 0 where they have the wanted length.

    The standard's body takes no int32: it reckons with `shape` and with lengths, which are int64.
    """
    given = op.Shape(input_data)
    wanted = op.Cast(shape, to=INT64)
    if axes is not None:
        wanted = op.ScatterElements(given, axes, wanted)
    start = op.Max(given - wanted, 0) / 2
    # An end beyond that of the dimension means the latter.
    cropped = op.Slice(input_data, start, start + wanted)
    missing = op.Max(wanted - given, 0)
    before = missing / 2
    return op.Pad(cropped, op.Concat(before, missing - before, axis=0))
