from typing import Literal

from opwright import DOUBLE, FLOAT
from opwright import opset18 as op


def quantized_decomposed_choose_qparams_symmetric_tensor(
    input, quant_min: int, quant_max: int, eps: float, dtype: Literal[2, 3, 5, 6]
):
    most = op.ReduceMax(op.Abs(input), keepdims=0)
    scale = _rounded(op.Reshape(most, [1]), (quant_max - quant_min) / 2)
    scale = op.Max(scale, op.Constant(value_floats=[eps]))
    return op.Cast(scale, to=DOUBLE), op.Constant(value_ints=[128 if dtype == 2 else 0])


def _rounded(width, divisor):
    """The quotient, which PyTorch rounds to the element type of `width`, as float."""
    if width.dtype == FLOAT:
        return width / divisor
    quotient = op.CastLike(op.Cast(width, to=FLOAT) / divisor, width)
    return op.Cast(op.Reshape(quotient, [1]), to=FLOAT)  # onnxruntime drops a cast that another one undoes
