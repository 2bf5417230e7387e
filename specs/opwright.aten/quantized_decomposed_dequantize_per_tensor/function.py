from opwright import FLOAT, INT8, UINT8
from opwright import opset18 as op


def quantized_decomposed_dequantize_per_tensor(input, scale, zero_point):
    if input.dtype in (UINT8, INT8) and scale.dtype == FLOAT:
        return op.DequantizeLinear(input, scale, zero_point)
    return (op.CastLike(input, scale) - op.CastLike(zero_point, scale)) * scale
