"""What ReduceSumSquare is: floats in float64, integers modulo the range of their type."""

import numpy as np


def ReduceSumSquare(data, axes=None, keepdims=1, noop_with_empty_axes=0):
    axis = reduced(axes, noop_with_empty_axes)
    return np.sum(data * data, axis=axis, keepdims=bool(keepdims), dtype=data.dtype)


def reduced(axes, noop_with_empty_axes):
    """The axes as numpy wants them: () for none, None for all."""
    if axes is not None and axes.size:
        return tuple(axes.tolist())
    return () if noop_with_empty_axes else None
