from collections.abc import Sequence
from typing import Literal

import numpy as np
from opwright import BFLOAT16, DOUBLE, FLOAT, FLOAT16
from opwright import opset18 as op


def native_batch_norm_legit(
    input,
    running_mean,
    running_var,
    weight=None,
    bias=None,
    double_eps=None,
    *,
    axes: Sequence[int],
    training: Literal[False, True],
    eps: float,
):
    if training:
        mean, var = _statistics(input, axes)
        result = _normalized(input, mean, var, weight, bias, eps, double_eps)
        return result, _narrow(mean, input), _narrow(_rstd(var, eps, double_eps), input)
    none = op.CastLike(np.zeros(0, np.float32), running_mean)  # of the input it would keep runtimes from fusing
    return _normalized(input, running_mean, running_var, weight, bias, eps, double_eps), none, none


def _normalized(input, mean, var, weight, bias, eps, double_eps):
    if input.dtype == DOUBLE:  # an attribute holds a float
        assert double_eps is not None
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
    if var.dtype == DOUBLE:
        assert double_eps is not None
        return op.Reciprocal(op.Sqrt(var + double_eps))
    return op.Reciprocal(op.Sqrt(var + eps))


def _wide(x):
    return op.Cast(x, to=FLOAT) if x.dtype in (FLOAT16, BFLOAT16) else x


def _narrow(x, input):
    return op.Cast(x, to=input.dtype) if input.dtype in (FLOAT16, BFLOAT16) else x
