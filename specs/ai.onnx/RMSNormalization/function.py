from opwright import DOUBLE
from opwright import opset13 as op

LAST = 9223372036854775807


def RMSNormalization(X, scale, axis: int = -1, epsilon: float = 1e-5, stash_type: int = 1):
    """In double no square of a float overflows, and the result is rounded once.

    Greatest error of normal values, in float on onnxruntime: half a unit in the last place; of the standard's body 2.5.
    """
    x = op.Cast(X, to=DOUBLE)
    axes = op.Slice(op.Range(0, op.Size(op.Shape(X)), 1), [axis], [LAST])
    y = x / op.Sqrt(average(x * x, axes) + epsilon) * op.Cast(scale, to=DOUBLE)
    return like(y, scale)


def average(x, axes):
    """Before opset 18 ReduceMean takes no axes that are computed; ReduceSum does."""
    if op.version < 18:
        count = op.ReduceProd(op.Gather(op.Shape(x), axes), keepdims=0)
        return op.ReduceSum(x, axes, keepdims=1) / op.Cast(count, to=DOUBLE)
    return op.ReduceMean(x, axes, keepdims=1)


def like(value, x):
    if op.version < 15:
        return op.Cast(value, to=x.dtype)
    return op.CastLike(value, x)
