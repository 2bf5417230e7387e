from opwright import DOUBLE
from opwright import opset18 as op


def ReduceLogSumExp(data, axes=None, keepdims: int = 1, noop_with_empty_axes: int = 0):
    """Shifted by the maximum, so that no exponential overflows, and never all vanish: the standard's body gives inf
    where an element is above 709, and -inf where all are below -745.

    An infinite maximum is no shift: inf - inf would be nan. Of an empty set the maximum and the result are -inf.
    """
    x = op.Cast(data, to=DOUBLE)
    highest = op.ReduceMax(x, axes, keepdims=1, noop_with_empty_axes=noop_with_empty_axes)
    shift = op.Where(op.IsInf(highest), 0, highest)
    total = op.ReduceSum(op.Exp(x - shift), axes, keepdims=keepdims, noop_with_empty_axes=noop_with_empty_axes)
    # A sum over dimensions of one element: the shift in the shape of the result.
    shift = op.ReduceSum(shift, axes, keepdims=keepdims, noop_with_empty_axes=noop_with_empty_axes)
    return like(op.Log(total) + shift, data)


def like(value, x):
    if op.version < 15:
        return op.Cast(value, to=x.dtype)
    return op.CastLike(value, x)
