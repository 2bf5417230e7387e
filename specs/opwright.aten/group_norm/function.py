from collections.abc import Sequence
from typing import Literal

from opwright import BFLOAT16, DOUBLE, FLOAT, FLOAT16
from opwright import opset18 as op


def group_norm(
    input,
    groups,
    weight=None,
    bias=None,
    double_eps=None,
    *,
    channels: Sequence[int],
    is_empty: Literal[False, True] = False,
    eps: float = 1e-5,
    length: Sequence[int] | None = None,
):
    if is_empty:
        return op.Identity(input)
    # Not GroupNormalization: its body subtracts the square of the mean from the mean of squares.
    x = op.Reshape(_wide(input), groups)
    if input.dtype == DOUBLE:
        assert double_eps is not None
        x = x - op.ReduceMean(x, [2])
        x = x / op.Sqrt(op.ReduceMean(x * x, [2]) + double_eps)
    else:
        size = op.Shape(x, start=-1) if length is None else op.Constant(value_ints=length)
        ones = op.Expand(op.CastLike(1, x), size)
        x = op.LayerNormalization(x, ones, axis=-1, epsilon=eps)
    result = op.Reshape(x, op.Shape(input))
    if weight is not None:
        result = result * op.Reshape(_wide(weight), channels)
    if bias is not None:
        result = result + op.Reshape(_wide(bias), channels)
    return op.Cast(result, to=input.dtype) if input.dtype in (FLOAT16, BFLOAT16) else result


def _wide(x):
    return op.Cast(x, to=FLOAT) if x.dtype in (FLOAT16, BFLOAT16) else x
