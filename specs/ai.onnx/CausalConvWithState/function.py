from typing import Literal

from opwright import DOUBLE
from opwright import opset13 as op

LAST = 9223372036854775807


def CausalConvWithState(
    input, weight, bias=None, past_state=None, activation: Literal["none", "silu", "swish"] = "none"
):
    """Every position's window of the padded input, times the kernel of its channel, and summed.

    Unlike Conv, whose `group` would be the number of channels, this needs no size when it is built. Everything is
    computed in double, and rounded once at the end.
    """
    length = op.Slice(op.Shape(input), [2], [3])
    if past_state is None:
        before = op.Concat(op.Slice(op.Shape(input), [0], [2]), op.Slice(op.Shape(weight), [2], [3]) - 1, axis=0)
        past_state = like(op.ConstantOfShape(before), input)
    padded = op.Concat(past_state, input, axis=2)
    starts = op.Range(0, op.Squeeze(length), 1)
    taps = op.Range(0, op.Gather(op.Shape(weight), 2), 1)
    windows = op.Gather(op.Cast(padded, to=DOUBLE), op.Unsqueeze(starts, [1]) + taps, axis=2)
    y = op.ReduceSum(windows * op.Cast(weight, to=DOUBLE), [3], keepdims=0)
    if bias is not None:
        y = y + op.Unsqueeze(op.Cast(bias, to=DOUBLE), [1])
    if activation != "none":
        y = y / (op.Exp(-y) + 1)
    return like(y, input), op.Slice(padded, length, [LAST], [2])


def like(value, x):
    if op.version < 15:
        return op.Cast(value, to=x.dtype)
    return op.CastLike(value, x)
