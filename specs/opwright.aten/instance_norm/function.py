from collections.abc import Sequence
from typing import Literal

from opwright import BFLOAT16, DOUBLE, FLOAT, FLOAT16
from opwright import opset18 as op


def instance_norm(
    input,
    running_mean=None,
    running_var=None,
    weight=None,
    bias=None,
    double_eps=None,
    *,
    use_input_stats: Literal[False, True],
    axes: Sequence[int],
    eps: float,
    channels: Sequence[int] | None = None,
):
    if use_input_stats or running_mean is None or running_var is None:
        x = op.Unsqueeze(input, 2) if input.rank == 2 else input
        result = _normalized_by_instance(x, weight, bias, axes, eps, double_eps, channels)
        return op.Squeeze(result, 2) if input.rank == 2 else result
    return _normalized(input, running_mean, running_var, weight, bias, eps, double_eps)


def _normalized_by_instance(input, weight, bias, axes, eps, double_eps, channels):
    x = _wide(input)
    size = op.Shape(x, start=1, end=2) if channels is None else op.Constant(value_ints=channels)
    ones, zeros = op.Expand(op.CastLike(1, x), size), op.Expand(op.CastLike(0, x), size)
    scale, shift = ones if weight is None else _wide(weight), zeros if bias is None else _wide(bias)
    if input.dtype != DOUBLE:
        return _narrow(op.InstanceNormalization(x, scale, shift, epsilon=eps), input)
    # InstanceNormalization has its epsilon as a float.
    places = op.Constant(value_ints=axes)
    x = x - op.ReduceMean(x, places)
    x = x / op.Sqrt(op.ReduceMean(x * x, places) + (eps if double_eps is None else double_eps))
    return op.BatchNormalization(x, scale, shift, zeros, ones, epsilon=0.0)


def _normalized(input, mean, var, weight, bias, eps, double_eps):
    if input.dtype == DOUBLE and double_eps is not None:
        # An attribute holds a float.
        var, eps = var + double_eps, 0.0
    x, mean, var = _wide(input), _wide(mean), _wide(var)
    scale = op.Expand(op.CastLike(1, x), op.Shape(mean)) if weight is None else _wide(weight)
    shift = op.Expand(op.CastLike(0, x), op.Shape(mean)) if bias is None else _wide(bias)
    result = op.BatchNormalization(x, scale, shift, mean, var, epsilon=eps)
    return _narrow(result, input)


def _wide(x):
    return op.Cast(x, to=FLOAT) if x.dtype in (FLOAT16, BFLOAT16) else x


def _narrow(x, input):
    return op.Cast(x, to=input.dtype) if input.dtype in (FLOAT16, BFLOAT16) else x
