"""What LogSoftmax is, in float64."""

import numpy as np


def LogSoftmax(input, axis=-1):
    with np.errstate(invalid="ignore"):
        below = input - np.max(input, axis=axis, keepdims=True, initial=-np.inf)
        greatest = below == 0
        count = np.sum(greatest, axis=axis, keepdims=True)
        rest = np.sum(np.where(greatest, 0.0, np.exp(below)), axis=axis, keepdims=True)
        return below - np.log(count) - np.log1p(rest / count)
