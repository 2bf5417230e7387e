"""What ReduceL2 is, in float64; of integers, the norm without its fraction."""

import numpy as np


def ReduceL2(data, axes=None, keepdims=1, noop_with_empty_axes=0):
    axis = reduced(axes, noop_with_empty_axes)
    x = data.astype(np.float64)
    norm = np.sqrt(np.sum(x * x, axis=axis, keepdims=bool(keepdims)))
    return norm if data.dtype.kind == "f" else np.trunc(norm)


def reduced(axes, noop_with_empty_axes):
    """The axes as numpy wants them: () for none, None for all."""
    if axes is not None and axes.size:
        return tuple(axes.tolist())
    return () if noop_with_empty_axes else None
