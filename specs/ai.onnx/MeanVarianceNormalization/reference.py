"""What MeanVarianceNormalization is, in float64."""

import numpy as np


def MeanVarianceNormalization(X, axes=(0, 2, 3)):
    deviation = X - np.mean(X, axis=tuple(axes), keepdims=True)
    return deviation / (np.sqrt(np.mean(deviation**2, axis=tuple(axes), keepdims=True)) + 1.0e-9)
