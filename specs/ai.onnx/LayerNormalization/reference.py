"""What LayerNormalization is, in float64."""

import numpy as np


def LayerNormalization(X, Scale, B=None, axis=-1, epsilon=1e-5, stash_type=1):
    axes = tuple(range(axis % X.ndim, X.ndim))
    with np.errstate(invalid="ignore", divide="ignore"):
        mean = np.mean(X, axis=axes, keepdims=True)
        deviation = X - mean
        inverse = 1.0 / np.sqrt(np.mean(deviation**2, axis=axes, keepdims=True) + epsilon)
        y = deviation * inverse * Scale
    return (y if B is None else y + B), mean, inverse
