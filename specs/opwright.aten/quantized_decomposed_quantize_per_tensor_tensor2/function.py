from opwright import INT8, UINT8
from opwright import opset18 as op


def quantized_decomposed_quantize_per_tensor_tensor2(input, scale, zero_point, quant_min, quant_max):
    scale, zero_point = op.Reshape(scale, []), op.Reshape(zero_point, [])
    least, most = op.Reshape(quant_min, []), op.Reshape(quant_max, [])
    if zero_point.dtype in (UINT8, INT8):
        return op.Clip(op.QuantizeLinear(input, scale, zero_point), least, most)
    y = op.Round(input * op.Reciprocal(scale)) + op.CastLike(zero_point, input)
    return op.CastLike(op.Clip(y, op.CastLike(least, y), op.CastLike(most, y)), zero_point)
