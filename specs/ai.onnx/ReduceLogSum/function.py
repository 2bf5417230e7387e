from opwright import DOUBLE
from opwright import opset13 as op


def ReduceLogSum(data, axes=None, keepdims: int = 1, noop_with_empty_axes: int = 0):
    """In double: half-width sums do not overflow, and integers, which Log does not take, are served too."""
    total = op.ReduceSum(op.Cast(data, to=DOUBLE), axes, keepdims=keepdims, noop_with_empty_axes=noop_with_empty_axes)
    return like(op.Log(total), data)


def like(value, x):
    if op.version < 15:
        return op.Cast(value, to=x.dtype)
    return op.CastLike(value, x)
