import numpy as np
from opwright import BFLOAT16, DOUBLE, FLOAT, FLOAT16
from opwright import opset18 as op


def native_batch_norm_legit_no_training(
    input, running_mean, running_var, weight=None, bias=None, double_eps=None, *, eps: float
):
    none = _nothing(input)
    return _normalized(input, running_mean, running_var, weight, bias, eps, double_eps), none, none


def _nothing(input):
    """No elements of the type, as a constant: a node that nobody reads would stay in the graph."""
    if input.dtype == BFLOAT16:
        return op.Cast(np.zeros(0, np.float32), to=BFLOAT16)
    if input.dtype == DOUBLE:
        return op.Constant(value=np.zeros(0, np.float64))
    return op.Constant(value=np.zeros(0, np.float16 if input.dtype == FLOAT16 else np.float32))


def _normalized(input, mean, var, weight, bias, eps, double_eps):
    if input.dtype == DOUBLE:  # an attribute holds a float
        assert double_eps is not None
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
