"""What ScatterElements is: one update after another, each result rounded to the type, for floats arrive as float64."""

import numpy as np


def ScatterElements(data, indices, updates, axis=0, reduction="none", *, types):
    result = np.copy(data)
    for position in np.ndindex(indices.shape):
        place = list(position)
        place[axis] = indices[position]
        result[tuple(place)] = reduced(result[tuple(place)], updates[position], reduction, types["T"])
    return result


def reduced(value, update, reduction, element):
    with np.errstate(over="ignore", invalid="ignore"):
        match reduction:
            case "add":
                return rounded(value + update, element)
            case "mul":
                return rounded(value * update, element)
            case "max":
                return value if value > update else update
            case "min":
                return value if value < update else update
    return update


def rounded(x, element):
    match element:
        case "float16":
            return np.float16(x)
        case "float":
            return np.float32(x)
        case "bfloat16":  # the upper half of a float's bits, to the nearest, and to the even one of two as near
            bits = np.float32(x).view(np.uint32).astype(np.uint64)
            near = (bits + 0x7FFF + (bits >> 16 & 1)) & 0xFFFF0000
            return np.where(np.isnan(x), np.nan, near.astype(np.uint32).view(np.float32))
    return x
