from collections.abc import Sequence

from opwright import FLOAT, INT8, UINT8
from opwright import opset18 as op


def quantized_decomposed_quantize_per_channel(
    input, scales, zero_points, quant_min=None, quant_max=None, *, axis: int, trailing: Sequence[int]
):
    if zero_points.dtype in (UINT8, INT8):
        y = op.QuantizeLinear(input, op.Cast(scales, to=FLOAT), zero_points, axis=axis)
        if quant_min is None:
            assert quant_max is None
            return y
        assert quant_max is not None
        return op.Clip(y, quant_min, quant_max)
    assert quant_min is not None and quant_max is not None
    factors = op.Unsqueeze(op.Reciprocal(scales), trailing)
    y = op.Round(op.CastLike(input, scales) * factors) + op.CastLike(op.Unsqueeze(zero_points, trailing), scales)
    return op.CastLike(op.Clip(y, op.CastLike(quant_min, y), op.CastLike(quant_max, y)), zero_points)
