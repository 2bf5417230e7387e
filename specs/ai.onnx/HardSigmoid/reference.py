"""What HardSigmoid is, in float64."""

import numpy as np


def HardSigmoid(X, alpha=0.2, beta=0.5):
    return np.maximum(0.0, np.minimum(1.0, alpha * X + beta))
