"""What Clip is: numpy's minimum and maximum hand on what is not a number."""

import numpy as np


def Clip(input, min=None, max=None):
    if min is not None:
        input = np.maximum(input, min)
    if max is not None:
        input = np.minimum(input, max)
    return input
