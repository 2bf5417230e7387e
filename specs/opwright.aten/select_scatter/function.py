from collections.abc import Sequence

from opwright import opset18 as op


def select_scatter(self, src, index, dim: int, axes: Sequence[int]):
    part = op.Unsqueeze(src, axes)
    return op.ScatterElements(self, op.Expand(index, op.Shape(part)), part, axis=dim)
