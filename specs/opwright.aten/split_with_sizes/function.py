from collections.abc import Sequence

from opwright import opset18 as op


def split_with_sizes(self, split_sizes: Sequence[int], dim: int = 0):
    return tuple(op.Split(self, list(split_sizes), axis=dim))
