from collections.abc import Sequence

from opwright import opset18 as op


def unflatten_int(self, sizes, shape: Sequence[int] | None = None, whole: bool = False, dim: int = 0, behind: int = 1):
    if shape is not None:
        return op.Reshape(self, shape, allowzero=whole)
    sizes = op.Concat(op.Shape(self, start=0, end=dim), sizes, op.Shape(self, start=behind), axis=0)
    return op.Reshape(self, sizes)
