"""What LeakyRelu is, in float64."""

import numpy as np


def LeakyRelu(X, alpha=0.01):
    return np.where(X < 0, alpha * X, X)
