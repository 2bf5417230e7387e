from typing import Literal

from opwright import BOOL, COMPLEX64, COMPLEX128, INT64, STRING
from opwright import opset13 as op
from opwright_std import opset16, opset18


def ScatterElements(
    data, indices, updates, axis: int = 0, reduction: Literal["none", "add", "mul", "max", "min"] = "none"
):
    """ScatterND of elements, each of whose places is given by all coordinates."""
    if reduction == "none":
        return op.ScatterElements(data, indices, updates, axis=axis)
    assert data.dtype not in (STRING, COMPLEX64, COMPLEX128)
    each = coordinates(indices)
    assert data.dtype != BOOL or reduction in ("add", "mul")
    return opset18.ScatterND(data, places(indices, each, axis), op.GatherND(updates, each), reduction=reduction)


def ScatterElements16(data, indices, updates, axis: int = 0, reduction: Literal["none", "add", "mul"] = "none"):
    """As the later version, without max and min."""
    if reduction == "none":
        return op.ScatterElements(data, indices, updates, axis=axis)
    assert data.dtype not in (STRING, COMPLEX64, COMPLEX128)
    each = coordinates(indices)
    return opset16.ScatterND(data, places(indices, each, axis), op.GatherND(updates, each), reduction=reduction)


def coordinates(x):
    """Those of each element, a row each, in the order of the elements."""
    return op.Transpose(op.NonZero(op.ConstantOfShape(op.Shape(x), value=[1])))


def places(indices, each, axis):
    """The coordinates where the updates go: along the axis the index, else their own."""
    rank = op.Gather(op.Shape(op.Shape(indices)), 0)
    along = op.Range(0, rank, 1) == axis + rank * op.Cast(axis < 0, to=INT64)
    index = op.Cast(op.GatherND(indices, each), to=INT64)
    return op.Where(along, op.Unsqueeze(index, [1]), each)
