from collections.abc import Sequence

from opwright import BFLOAT16, DOUBLE, FLOAT, FLOAT16
from opwright import opset18 as op


def rms_norm(
    input,
    weight=None,
    double_eps=None,
    *,
    axis: int,
    axes: Sequence[int],
    eps: float | None = None,
    sizes: Sequence[int] | None = None,
):
    if op.version >= 23 and input.dtype in (FLOAT16, FLOAT):
        return op.RMSNormalization(
            input,
            _ones(input, axis, sizes) if weight is None else weight,
            axis=axis,
            epsilon=2.0**-23 if eps is None else eps,
        )
    x = op.Cast(input, to=FLOAT) if input.dtype in (FLOAT16, BFLOAT16) else input
    if eps is None:
        added = 2.0**-52 if input.dtype == DOUBLE else 2.0**-23
    elif input.dtype == DOUBLE:
        assert double_eps is not None
        added = double_eps
    else:
        added = eps
    x = x / op.Sqrt(op.ReduceMean(x * x, op.Constant(value_ints=axes)) + added)
    if weight is not None:
        x = x * (op.Cast(weight, to=FLOAT) if input.dtype in (FLOAT16, BFLOAT16) else weight)
    return op.Cast(x, to=input.dtype) if input.dtype in (FLOAT16, BFLOAT16) else x


def _ones(input, axis, sizes):
    shape = op.Shape(input, start=axis) if sizes is None else op.Constant(value_ints=sizes)
    return op.Expand(op.CastLike(1, input), shape)
