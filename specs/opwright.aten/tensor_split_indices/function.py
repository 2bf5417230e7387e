from collections.abc import Sequence

from opwright import opset18 as op


def tensor_split_indices(self, sizes: Sequence[int], dim: int = 0):
    if len(sizes) == 1:
        return self
    return tuple(op.Split(self, list(sizes), axis=dim))
