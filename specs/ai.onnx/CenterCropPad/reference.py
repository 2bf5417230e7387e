"""What CenterCropPad is: the part of the input that is kept, in the middle of a tensor of zeros."""

import numpy as np


def CenterCropPad(input_data, shape, axes=None):
    lengths = list(input_data.shape)
    for axis, length in zip(range(len(lengths)) if axes is None else axes, shape.tolist(), strict=True):
        lengths[axis] = length
    empty = "" if input_data.dtype == object else 0
    result = np.full(lengths, empty, dtype=input_data.dtype)
    pairs = list(zip(input_data.shape, lengths, strict=True))
    taken = tuple(middle(given, min(given, wanted)) for given, wanted in pairs)
    filled = tuple(middle(wanted, min(given, wanted)) for given, wanted in pairs)
    result[filled] = input_data[taken]
    return result


def middle(length, part):
    start = (length - part) // 2
    return slice(start, start + part)
