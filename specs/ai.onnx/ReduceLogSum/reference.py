"""What ReduceLogSum is, in float64; of integers, the logarithm without its fraction."""

import numpy as np


def ReduceLogSum(data, axes=None, keepdims=1, noop_with_empty_axes=0):
    axis = reduced(axes, noop_with_empty_axes)
    result = np.log(np.sum(data.astype(np.float64), axis=axis, keepdims=bool(keepdims)))
    return result if data.dtype.kind == "f" else np.trunc(result)


def reduced(axes, noop_with_empty_axes):
    """The axes as numpy wants them: () for none, None for all."""
    if axes is not None and axes.size:
        return tuple(axes.tolist())
    return () if noop_with_empty_axes else None
