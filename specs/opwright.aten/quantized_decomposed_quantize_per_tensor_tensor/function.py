from opwright import INT8, UINT8
from opwright import opset18 as op


def quantized_decomposed_quantize_per_tensor_tensor(input, scale, zero_point, quant_min=None, quant_max=None):
    scale, zero_point = op.Reshape(scale, []), op.Reshape(zero_point, [])
    if zero_point.dtype in (UINT8, INT8):
        y = op.QuantizeLinear(input, scale, zero_point)
        if quant_min is None:
            assert quant_max is None
            return y
        assert quant_max is not None
        return op.Clip(y, quant_min, quant_max)
    assert quant_min is not None and quant_max is not None
    y = op.Round(input * op.Reciprocal(scale)) + op.CastLike(zero_point, input)
    return op.CastLike(op.Clip(y, op.CastLike(quant_min, y), op.CastLike(quant_max, y)), zero_point)
