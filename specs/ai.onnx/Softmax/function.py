from opwright import DOUBLE
from opwright import opset13 as op


def Softmax(input, axis: int = -1):
    """Shifted by the maximum, so that no exponential overflows, and in double: exp(x) has an error of |x| units in the
    last place.

    Greatest error of values up to 100 apart, in float on onnxruntime: half a unit in the last place; of the standard's
    body 64.
    """
    x = op.Cast(input, to=DOUBLE)
    e = op.Exp(x - highest(x, axis))
    return like(e / op.ReduceSum(e, [axis], keepdims=1), input)


def highest(x, axis):
    """Before opset 18 ReduceMax takes no axis that is an attribute of ours; TopK takes no 1 of an empty dimension."""
    if op.version < 18:
        value, _ = op.TopK(x, op.Sign(op.Gather(op.Shape(x), [axis])), axis=axis)
        return value
    return op.ReduceMax(x, [axis], keepdims=1)


def like(value, x):
    if op.version < 15:
        return op.Cast(value, to=x.dtype)
    return op.CastLike(value, x)
