from collections.abc import Sequence

from opwright import opset18 as op


def flatten_using_ints(self, shape: Sequence[int] | None = None, whole: bool = False, first: int = 0, behind: int = 1):
    if shape is not None:
        return op.Reshape(self, shape, allowzero=whole)
    sizes = op.Concat(op.Shape(self, start=0, end=first), [-1], op.Shape(self, start=behind), axis=0)
    return op.Reshape(self, sizes)
