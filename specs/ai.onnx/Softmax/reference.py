"""What Softmax is, in float64; -inf is what numpy finds greatest in nothing."""

import numpy as np


def Softmax(input, axis=-1):
    with np.errstate(invalid="ignore"):
        e = np.exp(input - np.max(input, axis=axis, keepdims=True, initial=-np.inf))
        return e / np.sum(e, axis=axis, keepdims=True)
