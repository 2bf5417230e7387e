from opwright import INT64
from opwright import opset18 as op


def quantized_decomposed_dequantize_per_channel_group(
    input, scales, zero_points=None, *, group_size: int, output_dtype: int
):
    groups = op.Reshape(input, [-1, group_size])
    if zero_points is not None:
        groups = op.Cast(groups, to=INT64) - op.Cast(op.Reshape(zero_points, [-1, 1]), to=INT64)
    y = op.CastLike(groups, scales) * op.Reshape(scales, [-1, 1])
    return op.Cast(op.Reshape(y, op.Shape(input)), to=output_dtype)
