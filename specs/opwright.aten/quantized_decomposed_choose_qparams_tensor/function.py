from opwright import DOUBLE, FLOAT, INT64
from opwright import opset18 as op


def quantized_decomposed_choose_qparams_tensor(input, quant_min: int, quant_max: int, eps: float):
    least = op.Min(op.ReduceMin(input, keepdims=0), 0)
    most = op.Max(op.ReduceMax(input, keepdims=0), 0)
    scale = _rounded(op.Reshape(most - least, [1]), quant_max - quant_min)
    scale = op.Max(scale, op.Constant(value_floats=[eps]))
    zero_point = quant_min - op.Cast(op.Round(op.Cast(least, to=FLOAT) / scale), to=INT64)
    return op.Cast(scale, to=DOUBLE), op.Clip(zero_point, quant_min, quant_max)


def _rounded(width, divisor):
    """The quotient, which PyTorch rounds to the element type of `width`, as float."""
    if width.dtype == FLOAT:
        return width / divisor
    quotient = op.CastLike(op.Cast(width, to=FLOAT) / divisor, width)
    return op.Cast(op.Reshape(quotient, [1]), to=FLOAT)  # onnxruntime drops a cast that another one undoes
