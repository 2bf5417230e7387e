from opwright import DOUBLE
from opwright import opset13 as op


def LogSoftmax(input, axis: int = -1):
    """input - max - log(sum), with the sum of exp(input - max): no exponential overflows, no logarithm is of 0.

    Where one element is far above the others its result is -log(1 + rest), and the rest may be far below the last
    place of 1. So the elements that are the greatest are counted, the others summed, and what count + rest rounds away
    is added to the logarithm.
    """
    x = op.Cast(input, to=DOUBLE)
    below = x - highest(x, axis)
    count = op.ReduceSum(op.Where(below == 0, 1.0, DOUBLE(0)), [axis], keepdims=1)
    rest = op.ReduceSum(op.Where(below == 0, 0.0, op.Exp(below)), [axis], keepdims=1)
    total = count + rest
    return like(below - (op.Log(total) + (rest - (total - count)) / total), input)


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
