from typing import Literal

from opwright import DOUBLE, FLOAT, INT64
from opwright import opset13 as op

from ..DFT.function import like

FAR = 4.0e6


def GridSample(
    X,
    grid,
    mode: Literal["linear", "nearest", "cubic"] = "linear",
    padding_mode: Literal["zeros", "border", "reflection"] = "zeros",
    align_corners: int = 0,
):
    return sampled(X, grid, mode, padding_mode, align_corners)


def GridSample16(
    X,
    grid,
    mode: Literal["bilinear", "nearest", "bicubic"] = "bilinear",
    padding_mode: Literal["zeros", "border", "reflection"] = "zeros",
    align_corners: int = 0,
):
    return sampled(X, grid, mode, padding_mode, align_corners)


def sampled(X, grid, mode, padding_mode, align_corners):
    """Images of any number of dimensions r, in the order of onnxruntime's kernels: nearly all results are their bits.

    Each place has a tap in each dimension for the nearest pixel, two for linear and four for cubic interpolation. The
    pixels of all combinations are gathered at once, [N, places, combinations, C]; then each dimension in turn, the
    innermost first, adds up its taps. In float for types of 16 bits.

    What lies beyond an edge is found for each tap. The reference evaluator also moves the place itself to the border,
    onnxruntime and PyTorch do not: with cubic interpolation that would be a jump.
    """
    work = DOUBLE if X.dtype == DOUBLE else FLOAT
    sizes = op.Shape(X)[2:]
    rank = op.Size(sizes)
    extents = op.Cast(op.Unsqueeze(sizes, [1]), to=work)
    last = extents - 1

    # [N, places, r, 1], the dimensions in the order of X: 0 is the centre of the first pixel.
    places = op.Cast(grid, to=work)[..., ::-1]
    count = op.ReduceProd(op.Shape(grid)[1:-1], keepdims=1)
    places = op.Reshape(places, op.Concat(op.Shape(grid)[:1], count, op.Shape(grid)[-1:], [1], axis=0))
    places = ((places + 1) * (extents - align_corners) - (1 - align_corners)) / 2
    if mode == "nearest":
        places = op.Round(places)
    first, end = (align_corners - 1) / 2, extents - (1 + align_corners) / 2
    if padding_mode == "border":  # as far as floats have fractions, so that what is infinite is the border too
        places = op.Max(op.Min(places, last + FAR), -FAR)
    if padding_mode == "reflection" and mode not in ("cubic", "bicubic"):
        places = reflected(places, first, end)

    taps = places
    if mode != "nearest":
        low = op.Floor(places)
        each = op.Expand([2 if is_linear(mode) else 4], op.Shape(sizes))
        combinations = op.NonZero(op.ConstantOfShape(each, value=[True]))  # of taps, a row for each dimension
        taps = low + (op.Cast(combinations, to=work) - (0 if is_linear(mode) else 1))
    if padding_mode == "reflection":
        taps = reflected(taps, first, end)
    # What is not a number is the first pixel, as on onnxruntime; its weights are not numbers either.
    pixels = op.Cast(op.Where(taps > 0, op.Where(taps < last, taps, last), 0), to=INT64)
    order = op.Range(0, rank, 1)
    strides = op.ReduceProd(op.Where(order > op.Unsqueeze(order, [1]), sizes, 1), axes=[1], keepdims=1)
    pixels = op.ReduceSum(pixels * strides, [2], keepdims=0)
    table = op.Reshape(op.Cast(X, to=work), op.Concat(op.Shape(X)[:2], op.ReduceProd(sizes, keepdims=1), axis=0))
    table = op.Transpose(table, perm=[0, 2, 1])
    if padding_mode == "zeros":
        beyond = op.Cast((taps < 0) | (taps > last), to=FLOAT)
        table = op.Pad(table, [0, 1, 0, 0, 0, 0])
        pixels = op.Where(op.ReduceMax(beyond, axes=[2], keepdims=0) > 0, 0, pixels + 1)
    values = op.GatherND(table, op.Unsqueeze(pixels, [3]), batch_dims=1)

    if mode != "nearest":
        for step in range(rank):
            d = rank - 1 - step
            start, place = low[:, :, d : d + 1], places[:, :, d : d + 1]
            weights = linear_weights(start, place) if is_linear(mode) else cubic_weights(place - start)
            total = weights[0] * values[:, :, :: len(weights)]
            for i in range(1, len(weights)):
                total = total + weights[i] * values[:, :, i :: len(weights)]
            values = total
    y = op.Transpose(op.Squeeze(values, [2]), perm=[0, 2, 1])
    y = op.Reshape(y, op.Concat(op.Shape(X)[:2], op.Shape(grid)[1:-1], axis=0))
    return like(y, X)


def is_linear(mode):
    return mode in ("linear", "bilinear")


def linear_weights(low, place):
    return ((low + 1) - place, place - low)


def cubic_weights(t):
    a = -0.75
    return (
        ((a * (t + 1) - 5 * a) * (t + 1) + 8 * a) * (t + 1) - 4 * a,
        ((a + 2) * t - (a + 3)) * t * t + 1,
        ((a + 2) * (1 - t) - (a + 3)) * (1 - t) * (1 - t) + 1,
        ((a * (2 - t) - 5 * a) * (2 - t) + 8 * a) * (2 - t) - 4 * a,
    )


def reflected(places, first, end):
    """Places beyond the edges `first` and `end`, reflected by them until they are between."""
    span = end - first
    beyond = op.Max(first - places, places - end)
    turns = op.Floor(beyond / op.Where(span > 0, span, 1))
    rest = op.Min(beyond - turns * span, span)  # of a single pixel between aligned corners 0
    even = op.Mod(turns, 2, fmod=1) == 0
    return op.Where(beyond > 0, op.Where((places < first) == even, first + rest, end - rest), places)
