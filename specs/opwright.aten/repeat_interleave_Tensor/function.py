import numpy as np
from opwright import INT64
from opwright import opset18 as op


def repeat_interleave_Tensor(repeats):
    return op.CastLike(_places(op.Cast(repeats, to=INT64)), repeats) if repeats.dtype != INT64 else _places(repeats)


def _places(repeats):
    """The place of each count, as often as it says: at the place where those of a count end the next ones begin."""
    ends = op.CumSum(repeats, 0)
    marks = op.ConstantOfShape(op.ReduceSum(repeats) + 1, value=np.array([0]))
    ones = op.ConstantOfShape(op.Shape(ends), value=np.array([1]))
    return op.Slice(op.CumSum(op.ScatterElements(marks, ends, ones, reduction="add"), 0), [0], [-1])
