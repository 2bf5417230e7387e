"""What RMSNormalization is, in float64."""

import numpy as np


def RMSNormalization(X, scale, axis=-1, epsilon=1e-5, stash_type=1):
    axes = tuple(range(axis % X.ndim, X.ndim))
    with np.errstate(invalid="ignore", divide="ignore"):
        return X / np.sqrt(np.mean(X**2, axis=axes, keepdims=True) + epsilon) * scale
