"""What ReduceLogSumExp is, in float64; of integers, the result without its fraction."""

import numpy as np


def ReduceLogSumExp(data, axes=None, keepdims=1, noop_with_empty_axes=0):
    axis = reduced(axes, noop_with_empty_axes)
    x = data.astype(np.float64)
    highest = np.max(x, axis=axis, keepdims=True, initial=-np.inf)
    shift = np.where(np.isinf(highest), 0.0, highest)
    result = np.log(np.sum(np.exp(x - shift), axis=axis, keepdims=True)) + shift
    if not keepdims:
        result = np.squeeze(result, axis=tuple(range(x.ndim)) if axis is None else axis)
    return result if data.dtype.kind == "f" else np.trunc(result)


def reduced(axes, noop_with_empty_axes):
    """The axes as numpy wants them: () for none, None for all."""
    if axes is not None and axes.size:
        return tuple(axes.tolist())
    return () if noop_with_empty_axes else None
