from collections.abc import Sequence

from opwright import BFLOAT16, DOUBLE
from opwright import opset18 as op


def layer_norm(
    input,
    weight=None,
    bias=None,
    double_eps=None,
    *,
    axis: int,
    axes: Sequence[int],
    eps: float = 1e-5,
    sizes: Sequence[int] | None = None,
):
    if input.dtype == DOUBLE:
        assert double_eps is not None
        return _in_double(input, weight, bias, axes, double_eps)
    scale = _ones(input, axis, sizes) if weight is None else weight
    if bias is None:
        return op.LayerNormalization(input, scale, axis=axis, epsilon=eps)
    return op.LayerNormalization(input, scale, bias, axis=axis, epsilon=eps)


def _ones(input, axis, sizes):
    shape = op.Shape(input, start=axis) if sizes is None else op.Constant(value_ints=sizes)
    ones = op.Expand(op.CastLike(1, input) if input.dtype != BFLOAT16 else 1.0, shape)
    return op.Cast(ones, to=BFLOAT16) if input.dtype == BFLOAT16 else ones


def _in_double(input, weight, bias, axes, eps):
    """LayerNormalization has its epsilon as a float."""
    centred = input - op.ReduceMean(input, op.Constant(value_ints=axes))
    result = centred / op.Sqrt(op.ReduceMean(centred * centred, op.Constant(value_ints=axes)) + eps)
    if weight is not None:
        result = result * weight
    if bias is not None:
        result = result + bias
    return result
