from opwright import DOUBLE, INT64
from opwright import opset18 as op


def quantized_decomposed_choose_qparams_per_token_asymmetric(input, *, axis: int):
    axes = op.Constant(value_ints=[axis])
    least = op.Min(op.ReduceMin(input, axes), 0)
    most = op.Max(op.ReduceMax(input, axes), 0)
    scale = op.Max((most - least) / 255, 2.0**-23)
    low, high = least / scale, most / scale
    zero_point = op.Where((low - 128) + (high + 127) > 0, -128 - low, 127 - high)
    return op.Cast(scale, to=DOUBLE), op.Cast(op.Round(op.Clip(zero_point, -128, 127)), to=INT64)
