"""number.array: The arrays of a dictionary and of a list from around the function are constants."""

import numpy as np
from opwright import FLOAT, script

SHIFTS = {"up": np.array([1.0, 2.0], dtype=np.float32)}
SCALES = [np.array([3.0], dtype=np.float32), np.float32(0.5)]


@script()
def F(x: FLOAT["N"]):
    for scale in SCALES:
        x = x * scale
    return x + SHIFTS["up"]
