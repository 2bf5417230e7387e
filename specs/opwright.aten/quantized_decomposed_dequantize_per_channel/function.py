from collections.abc import Sequence

from opwright import FLOAT, INT8, INT64, UINT8
from opwright import opset18 as op


def quantized_decomposed_dequantize_per_channel(
    input, scales, zero_points=None, *, axis: int, trailing: Sequence[int], out_dtype: int | None = None
):
    if input.dtype in (UINT8, INT8) and scales.dtype == FLOAT:
        zero_points = None if zero_points is None else zero_points  # static: no last input is an empty name
        y = op.DequantizeLinear(input, scales, zero_points, axis=axis)
    elif zero_points is None:
        y = op.CastLike(input, scales) * op.Unsqueeze(scales, trailing)
    else:
        difference = op.Cast(input, to=INT64) - op.Cast(op.Unsqueeze(zero_points, trailing), to=INT64)
        y = op.CastLike(difference, scales) * op.Unsqueeze(scales, trailing)
    if out_dtype is not None:
        return op.Cast(y, to=out_dtype)
    return y if scales.dtype == FLOAT else op.Cast(y, to=FLOAT)
