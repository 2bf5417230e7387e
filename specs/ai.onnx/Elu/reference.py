"""What Elu is, in float64."""

import numpy as np


def Elu(X, alpha=1.0):
    return np.where(X < 0, alpha * np.expm1(X), X)
