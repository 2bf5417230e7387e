import numpy as np
from opwright import opset18 as op


def repeat_interleave_self_Tensor(self, repeats, dim: int | None = None):
    if dim is None or self.rank == 0:
        x = op.Reshape(self, [-1])
        counts = op.Expand(repeats, op.Shape(x))
        return op.Gather(x, _places(counts))
    counts = op.Expand(repeats, op.Reshape(op.Gather(op.Shape(self), dim), [1]))
    return op.Gather(self, _places(counts), axis=dim)


def _places(repeats):
    """The place of each count, as often as it says: at the place where those of a count end the next ones begin."""
    ends = op.CumSum(repeats, 0)
    marks = op.ConstantOfShape(op.ReduceSum(repeats) + 1, value=np.array([0]))
    ones = op.ConstantOfShape(op.Shape(ends), value=np.array([1]))
    return op.Slice(op.CumSum(op.ScatterElements(marks, ends, ones, reduction="add"), 0), [0], [-1])
