from collections.abc import Sequence

from opwright import opset18 as op


def tile(self, dims, axes: Sequence[int] | None = None):
    return op.Tile(self if axes is None else op.Unsqueeze(self, axes), dims)
