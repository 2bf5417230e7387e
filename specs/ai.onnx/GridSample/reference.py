"""What GridSample is, in float64, one place after the other."""

import math

import numpy as np


def GridSample(X, grid, mode="linear", padding_mode="zeros", align_corners=0):
    mode = {"bilinear": "linear", "bicubic": "cubic"}.get(mode, mode)
    sizes = X.shape[2:]
    y = np.zeros((*X.shape[:2], *grid.shape[1:-1]))
    for n, *at in np.ndindex(*grid.shape[:-1]):
        place = [denormalised(g, size, align_corners) for g, size in zip(grid[(n, *at)][::-1], sizes, strict=True)]
        taps = [taps_of(p, size, mode, padding_mode, align_corners) for p, size in zip(place, sizes, strict=True)]
        for numbers in np.ndindex(*map(len, taps)):
            pixel, weights = zip(*(taps[d][number] for d, number in enumerate(numbers)), strict=True)
            weight = math.prod(weights)
            value = np.zeros(X.shape[1]) if None in pixel else X[(n, slice(None), *pixel)]
            y[(n, slice(None), *at)] += weight * value
    return y


def denormalised(g, size, align_corners):
    return (g + 1) / 2 * (size - 1) if align_corners else ((g + 1) * size - 1) / 2


def taps_of(place, size, mode, padding_mode, align_corners):
    """Pixels of one dimension, None for those that are zero, and how much each of them counts."""
    first, end = (0, size - 1) if align_corners else (-0.5, size - 0.5)
    if mode == "nearest":
        place = np.rint(place)
    if padding_mode == "border":
        place = np.clip(place, -10.0, size + 10.0)
    if padding_mode == "reflection":
        place = reflected(place, first, end)
    if math.isnan(place):
        return [(0 if padding_mode != "zeros" else None, 1.0 if mode == "nearest" else math.nan)]
    low = math.floor(place)
    if mode == "nearest":
        weights = {low: 1.0}
    elif mode == "linear":
        weights = {low: low + 1 - place, low + 1: place - low}
    else:
        weights = {i: keys(abs(place - i)) for i in range(low - 1, low + 3)}
    return [(padded(i, size, padding_mode, first, end), w) for i, w in weights.items()]


def padded(i, size, padding_mode, first, end):
    if padding_mode == "zeros":
        return i if 0 <= i < size else None
    if padding_mode == "reflection":
        i = round(reflected(i, first, end))
    return min(max(i, 0), size - 1)


def reflected(place, first, end):
    """A triangle wave: there and back is twice the span."""
    if first <= place <= end or math.isnan(place):
        return place
    if first == end:
        return first
    there = (place - first) % (2 * (end - first))
    return first + min(there, 2 * (end - first) - there)


def keys(t, a=-0.75):
    """Keys's cubic kernel."""
    if t <= 1:
        return (a + 2) * t**3 - (a + 3) * t**2 + 1
    return a * t**3 - 5 * a * t**2 + 8 * a * t - 4 * a if t < 2 else 0.0
