"""What GroupNormalization is, in float64; in version 18 each group has one factor."""

import numpy as np


def GroupNormalization(X, scale, bias, num_groups, epsilon=1e-5, stash_type=1):
    grouped = X.reshape((X.shape[0], num_groups, X.shape[1] // num_groups, *X.shape[2:]))
    axes = tuple(range(2, grouped.ndim))
    of_channel = (X.shape[1], *[1] * (X.ndim - 2))
    each = X.shape[1] // scale.size
    with np.errstate(invalid="ignore", divide="ignore"):
        deviation = grouped - np.mean(grouped, axis=axes, keepdims=True)
        normalized = deviation / np.sqrt(np.mean(deviation**2, axis=axes, keepdims=True) + epsilon)
        factors, offsets = (np.repeat(values, each).reshape(of_channel) for values in (scale, bias))
        return normalized.reshape(X.shape) * factors + offsets
