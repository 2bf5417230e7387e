"""What ThresholdedRelu is, in float64."""

import numpy as np


def ThresholdedRelu(X, alpha=1.0):
    return np.where(X > alpha, X, 0.0)
