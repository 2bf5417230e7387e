from collections.abc import Sequence

from opwright import opset18 as op


def slice_Tensor(self, start, end, step, dim: Sequence[int] = (0,)):
    return op.Slice(self, start, end, dim, step)
