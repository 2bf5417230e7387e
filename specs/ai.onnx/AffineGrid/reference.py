"""What AffineGrid is, in float64."""

import numpy as np


def AffineGrid(theta, size, align_corners=0):
    axes = [centres(int(extent), align_corners) for extent in size[2:]]
    position = np.meshgrid(*axes, indexing="ij")[::-1]  # x, which varies along the last dimension, comes first
    homogeneous = np.stack([*position, np.ones(position[0].shape)], axis=-1)
    return np.einsum("nij,...j->n...i", theta, homogeneous)


def centres(extent, align_corners):
    if align_corners:
        return np.linspace(-1.0, 1.0, extent)
    return (np.arange(extent) + 0.5) * 2.0 / extent - 1.0
