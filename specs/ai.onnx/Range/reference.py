"""What Range is: floats in float64, integers exactly."""

import math

import numpy as np


def Range(start, limit, delta, stash_type=1):
    first, last, step = start.item(), limit.item(), delta.item()
    if start.dtype.kind == "i":
        count = max(-((first - last) // step), 0)
    else:
        count = max(math.ceil((last - first) / step), 0)
    return np.array([first + i * step for i in range(count)], dtype=start.dtype)
