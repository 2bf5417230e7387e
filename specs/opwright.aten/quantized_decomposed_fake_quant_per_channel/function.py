from collections.abc import Sequence

from opwright import opset18 as op


def quantized_decomposed_fake_quant_per_channel(
    input, scales, zero_points, quant_min, quant_max, *, trailing: Sequence[int]
):
    scales, zero_points = op.Unsqueeze(scales, trailing), op.Unsqueeze(zero_points, trailing)
    quantized = op.Clip(op.Round(input * op.Reciprocal(scales)) + zero_points, quant_min, quant_max)
    return (quantized - zero_points) * scales
