from collections.abc import Sequence

from opwright import BFLOAT16, DOUBLE, FLOAT, FLOAT16
from opwright import opset18 as op


def native_group_norm(
    input,
    groups,
    weight=None,
    bias=None,
    double_eps=None,
    *,
    channels: Sequence[int],
    eps: float,
    length: Sequence[int] | None = None,
):
    x = op.Reshape(_wide(input), groups)
    if input.dtype == DOUBLE:
        assert double_eps is not None
        mean = op.ReduceMean(x, [2])
        centred = x - mean
        variance = op.ReduceMean(centred * centred, [2])
        rstd = op.Reciprocal(op.Sqrt(variance + double_eps))
        x = centred * rstd
    else:
        size = op.Shape(x, start=-1) if length is None else op.Constant(value_ints=length)
        ones = op.Expand(op.CastLike(1, x), size)
        x, mean, rstd = op.LayerNormalization(x, ones, axis=-1, epsilon=eps)
    result = op.Reshape(x, op.Shape(input))
    if weight is not None:
        result = result * op.Reshape(_wide(weight), channels)
    if bias is not None:
        result = result + op.Reshape(_wide(bias), channels)
    mean, rstd = op.Squeeze(mean, 2), op.Squeeze(rstd, 2)
    if input.dtype in (FLOAT16, BFLOAT16):
        return tuple(op.Cast(item, to=input.dtype) for item in (result, mean, rstd))
    return result, mean, rstd


def _wide(x):
    return op.Cast(x, to=FLOAT) if x.dtype in (FLOAT16, BFLOAT16) else x
