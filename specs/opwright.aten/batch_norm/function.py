from collections.abc import Sequence
from typing import Literal

from opwright import BFLOAT16, DOUBLE, FLOAT, FLOAT16
from opwright import opset18 as op


def batch_norm(
    input,
    running_mean=None,
    running_var=None,
    weight=None,
    bias=None,
    double_eps=None,
    *,
    axes: Sequence[int],
    training: Literal[False, True],
    eps: float,
):
    if training or running_mean is None or running_var is None:
        running_mean, running_var = _statistics(input, axes)
    return _normalized(input, running_mean, running_var, weight, bias, eps, double_eps)


def _normalized(input, mean, var, weight, bias, eps, double_eps):
    if input.dtype == DOUBLE and double_eps is not None:
        # An attribute holds a float.
        var, eps = var + double_eps, 0.0
    x, mean, var = _wide(input), _wide(mean), _wide(var)
    scale = op.Expand(op.CastLike(1, x), op.Shape(mean)) if weight is None else _wide(weight)
    shift = op.Expand(op.CastLike(0, x), op.Shape(mean)) if bias is None else _wide(bias)
    result = op.BatchNormalization(x, scale, shift, mean, var, epsilon=eps)
    return _narrow(result, input)


def _statistics(input, axes):
    """The mean and the variance of each channel of the batch, as they are computed."""
    x = _wide(input)
    mean = op.ReduceMean(x, op.Constant(value_ints=axes))
    centred = x - mean
    var = op.ReduceMean(centred * centred, op.Constant(value_ints=axes), keepdims=0)
    return op.Squeeze(mean, op.Constant(value_ints=axes)), var


def _rstd(var, eps, double_eps):
    return op.Reciprocal(op.Sqrt(var + (double_eps if var.dtype == DOUBLE and double_eps is not None else eps)))


def _wide(x):
    return op.Cast(x, to=FLOAT) if x.dtype in (FLOAT16, BFLOAT16) else x


def _narrow(x, input):
    return op.Cast(x, to=input.dtype) if input.dtype in (FLOAT16, BFLOAT16) else x
