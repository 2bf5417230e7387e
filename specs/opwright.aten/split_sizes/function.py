from collections.abc import Sequence

from opwright import opset18 as op


def split_sizes(self, split_size: Sequence[int], dim: int = 0):
    if len(split_size) == 1:
        return self
    return tuple(op.Split(self, list(split_size), axis=dim))
