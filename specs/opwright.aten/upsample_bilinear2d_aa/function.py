from collections.abc import Callable, Sequence
from typing import Any

from opwright import DOUBLE, INT64, UINT8
from opwright import opset18 as op


def upsample_bilinear2d_aa(self, output_size, steps=None, *, align_corners: bool, lengths: Sequence[int] | None = None):
    return antialiased(self, output_size, steps, lengths, align_corners, 1, triangle)


def triangle(distance):
    return op.Max(1 - distance, 0.0)


def antialiased(image, output_size, steps, lengths, align_corners, radius: int, filter: Callable[[Any], Any]):
    """An image whose new elements are means of all that they cover, by a filter of that radius in elements."""
    x = op.Cast(image, to=DOUBLE) if image.dtype == UINT8 else image
    for axis in (3, 2):
        length, size = length_of(x, axis, lengths), output_size[axis - 2 : axis - 1]
        step = _step(x, length, size, None if steps is None else steps[axis - 2 : axis - 1], align_corners)
        x = _resized(x, axis, length, size, step, image.dtype == UINT8, radius, filter)
    return op.Cast(x, to=UINT8) if image.dtype == UINT8 else x


def length_of(x, axis, lengths):
    """A number where it is known: runtimes compute ahead of a run with it, but not with one of several sizes."""
    if lengths is None:
        return op.Shape(x, start=axis, end=axis + 1)
    return op.Constant(value_ints=lengths)[axis - 2 : axis - 1]


def sizes_of(image, scales):
    """The sizes that PyTorch makes of scales."""
    lengths = op.Cast(op.Shape(image, start=2), to=DOUBLE)
    return op.Cast(op.Floor(lengths * op.Cast(op.Constant(value_floats=scales), to=DOUBLE)), to=INT64)


def _step(x, length, size, step, align_corners):
    """How far apart the new elements lie: of aligned corners, the sizes less one say it."""
    plain = op.CastLike(length, x) / op.CastLike(size, x) if step is None else op.CastLike(step, x)
    aligned = op.CastLike(length - 1, x) / op.CastLike(op.Max(size - 1, 1), x)
    return op.Where(align_corners, op.Where(size > 1, aligned, 0.0), plain)


def _resized(x, axis, length, size, step, in_bytes, radius, filter):
    stays = length == size  # PyTorch copies the dimension then, whatever the step
    step = op.Where(stays, 1.0, step)
    width = op.Max(step, 1.0)  # of the new elements, among the old ones
    reach = op.Where(stays, 0.5, radius * width)
    center = (op.CastLike(op.Range(0, op.Squeeze(size), 1), x) + 0.5) * step
    first = op.Max(op.Cast(center - reach + 0.5, to=INT64), 0)
    behind = op.Min(op.Cast(center + reach + 0.5, to=INT64), length)
    most = 2 * op.Cast(op.Ceil(reach), to=INT64) + 1
    places = op.Unsqueeze(first, [1]) + op.Range(0, op.Squeeze(most), 1)
    covered = places < op.Unsqueeze(behind, [1])
    weights = filter(op.Abs((op.CastLike(places, x) - op.Unsqueeze(center, [1]) + 0.5) / width))
    weights = op.Where(covered, weights, 0.0)
    weights = weights / op.ReduceSum(weights, [1])
    one = None
    if in_bytes:
        one = _one(weights)
        weights = op.Sign(weights) * op.Floor(op.Abs(weights) * one + 0.5)
    if axis == 2:
        weights, covered = op.Unsqueeze(weights, [2]), op.Unsqueeze(covered, [2])
    # What is not covered has no weight, and does not count even where it is infinite.
    parts = op.Where(covered, op.Gather(x, op.Min(places, length - 1), axis=axis) * weights, 0.0)
    total = op.ReduceSum(parts, [axis + 1], keepdims=0)
    return total if one is None else op.Clip(op.Floor(total / one + 0.5), 0.0, 255.0)


def _one(weights):
    """What PyTorch counts as 1 in integer weights of bytes: the power of 2 by which they fit in 16 bits."""
    powers = op.CastLike(op.Constant(value_floats=[float(2 << bits) for bits in range(22)]), weights)
    fits = op.Floor(op.ReduceMax(weights, keepdims=0) * powers + 0.5) < 32768
    return op.ReduceMax(op.Where(fits, powers, 1.0), keepdims=0)
