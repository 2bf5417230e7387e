from opwright import opset18 as op


def quantized_decomposed_quantize_per_channel_group(
    input, scales, zero_points, quant_min, quant_max, *, dtype: int, group_size: int
):
    groups = op.Reshape(input, [-1, group_size])
    factors, zeros = op.Reciprocal(op.Reshape(scales, [-1, 1])), op.Reshape(zero_points, [-1, 1])
    y = op.Clip(op.Round(groups * factors + op.CastLike(zeros, input)), quant_min, quant_max)
    return op.Reshape(op.Cast(y, to=dtype), op.Shape(input))
