from typing import Literal

from opwright import FLOAT, INT8, INT16, UINT8, UINT16
from opwright import opset13 as op

from ..DequantizeLinear.function import spread


def QuantizeLinear(
    x,
    y_scale,
    y_zero_point=None,
    axis: int = 1,
    block_size: int = 0,
    output_dtype: Literal[0, 2, 3, 4, 5] = 0,
    precision: int = 0,
    saturate: int = 1,
):
    """Computed in float whatever `precision` says, as onnxruntime does."""
    steps = op.Round(op.Cast(x, to=FLOAT) / spread(op.Cast(y_scale, to=FLOAT), y_scale, x, axis, block_size))
    if y_zero_point is not None:
        assert output_dtype == 0
        steps = steps + spread(op.Cast(y_zero_point, to=FLOAT), y_scale, x, axis, block_size)
        return saturated(steps, y_zero_point.dtype)
    if output_dtype == 3:
        return saturated(steps, INT8)
    if output_dtype == 4:
        return saturated(steps, UINT16)
    if output_dtype == 5:
        return saturated(steps, INT16)
    return saturated(steps, UINT8)


def QuantizeLinear21(
    x,
    y_scale,
    y_zero_point=None,
    axis: int = 1,
    block_size: int = 0,
    output_dtype: Literal[0, 2, 3, 4, 5] = 0,
    saturate: int = 1,
):
    """Without another precision."""
    return QuantizeLinear(x, y_scale, y_zero_point, axis, block_size, output_dtype, 0, saturate)


def QuantizeLinear19(x, y_scale, y_zero_point=None, axis: int = 1, saturate: int = 1):
    """Without blocks, and of another type than uint8 by a zero point alone."""
    assert y_scale.rank in (0, 1)
    return QuantizeLinear(x, y_scale, y_zero_point, axis, 0, 0, 0, saturate)


def saturated(steps, element):
    """What is beyond the type becomes its end. A sum that is not exact in float is beyond it."""
    if element == INT8:
        return op.Cast(between(steps, -128, 127), to=INT8)
    if element == UINT16:
        return op.Cast(between(steps, 0, 65535), to=UINT16)
    if element == INT16:
        return op.Cast(between(steps, -32768, 32767), to=INT16)
    return op.Cast(between(steps, 0, 255), to=UINT8)


def between(steps, least, greatest):
    """The least of what is no number, as in onnxruntime."""
    return op.Where(steps > least, op.Min(steps, greatest), least)
