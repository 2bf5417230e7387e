from collections.abc import Sequence

from opwright import opset18 as op


def repeat(self, repeats, axes: Sequence[int] | None = None):
    return op.Tile(self if axes is None else op.Unsqueeze(self, axes), repeats)
