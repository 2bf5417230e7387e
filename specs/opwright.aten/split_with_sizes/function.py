from collections.abc import Sequence

from opwright import opset18 as op


def split_with_sizes(self, split_sizes: Sequence[int], dim: int = 0):
    if len(split_sizes) == 1:
        return self
    return tuple(op.Split(self, list(split_sizes), axis=dim))
