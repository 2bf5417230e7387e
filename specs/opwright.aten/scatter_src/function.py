from typing import Literal

from opwright import opset18 as op


def scatter_src(self, index, src, dim: int, whole: Literal[False, True] = False):
    if not whole:
        size = op.Shape(index)
        src = op.Slice(src, size - size, size)
    return op.ScatterElements(self, index, src, axis=dim)
