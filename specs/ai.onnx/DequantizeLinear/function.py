from typing import Literal

from opwright import FLOAT, FLOAT16, INT32, INT64
from opwright import opset13 as op


def DequantizeLinear(
    x, x_scale, x_zero_point=None, axis: int = 1, block_size: int = 0, output_dtype: Literal[0, 1, 10] = 0
):
    """Computed in float, whatever the types of scale and result are."""
    steps = op.Cast(x, to=INT32)
    if x_zero_point is not None:
        steps = steps - spread(op.Cast(x_zero_point, to=INT32), x_scale, x, axis, block_size)
    y = op.Cast(steps, to=FLOAT) * spread(op.Cast(x_scale, to=FLOAT), x_scale, x, axis, block_size)
    if output_dtype == 1:
        return y
    if output_dtype == 10:
        return op.Cast(y, to=FLOAT16)
    return op.Cast(y, to=x_scale.dtype)


def DequantizeLinear21(x, x_scale, x_zero_point=None, axis: int = 1, block_size: int = 0):
    """The result has the type of the scale."""
    return DequantizeLinear(x, x_scale, x_zero_point, axis, block_size, 0)


def DequantizeLinear19(x, x_scale, x_zero_point=None, axis: int = 1):
    """Without blocks."""
    assert x_scale.rank in (0, 1)
    return DequantizeLinear(x, x_scale, x_zero_point, axis, 0, 0)


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
