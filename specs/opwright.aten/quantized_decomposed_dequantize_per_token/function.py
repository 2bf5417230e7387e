from opwright import INT64
from opwright import opset18 as op


def quantized_decomposed_dequantize_per_token(input, scales, zero_points, *, output_dtype: int):
    difference = op.Cast(input, to=INT64) - op.Cast(zero_points, to=INT64)
    return op.Cast(op.CastLike(difference, scales) * scales, to=output_dtype)
