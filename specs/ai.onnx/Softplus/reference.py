"""What Softplus is, in float64."""

import numpy as np


def Softplus(X):
    return np.logaddexp(0.0, X)
