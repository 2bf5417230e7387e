"""What Celu is, in float64."""

import numpy as np


def Celu(X, alpha=1.0):
    return np.maximum(0.0, X) + np.minimum(0.0, alpha * np.expm1(X / alpha))
