from typing import Literal

from opwright import FLOAT, INT8, INT16, INT64, UINT8, UINT16
from opwright import opset13 as op


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


def spread(values, scale, x, axis, block_size):
    """In a shape that broadcasts to that of x: one for all of x, one for each element along the axis, or in blocks one
    for `block_size` neighbours. The rank of the scale, which zero points share, tells which."""
    if scale.rank == 0:
        return values
    if scale.rank > 1:
        return op.Gather(values, block_of_each(op.Gather(op.Shape(x), [axis]), block_size), axis=axis)
    shape = op.Shape(x)
    rank = op.Shape(shape)
    along = op.Range(0, rank[0], 1) == axis + rank * op.Cast(axis < 0, to=INT64)
    length = op.Where(block_size > 0, op.Shape(op.Reshape(x, [-1])), op.Shape(values))  # in blocks x is a list itself
    each = op.Gather(values, block_of_each(length, block_size), axis=0)
    is_empty = op.Shape(each) == 0
    # Below opset 14 no shape that holds zeros can be asked for: of none there is one then, which broadcasts as well.
    filled = op.Pad(each, op.Concat([0], op.Cast(is_empty, to=INT64), axis=0))
    return op.Reshape(filled, op.Where(along, op.Shape(filled), 1))


def block_of_each(length, block_size):
    """Not by a Range: of a Gather by one onnxruntime makes a Slice that it then refuses."""
    position = op.Squeeze(op.NonZero(op.ConstantOfShape(length, value=[1])), [0])
    return position / op.Max(block_size, 1)
