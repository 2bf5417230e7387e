import numpy as np


def Clip(input, min=None, max=None):
    input = input if min is None else np.maximum(input, min)
    return input if max is None else np.minimum(input, max)
