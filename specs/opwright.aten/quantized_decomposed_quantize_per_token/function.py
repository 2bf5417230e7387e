from opwright import opset18 as op


def quantized_decomposed_quantize_per_token(input, scales, zero_points, quant_min, quant_max, *, dtype: int):
    y = op.Round(input * op.Reciprocal(scales) + op.CastLike(zero_points, input))
    return op.Cast(op.Clip(y, quant_min, quant_max), to=dtype)
