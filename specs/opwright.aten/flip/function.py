from collections.abc import Sequence

from opwright import opset18 as op


def flip(self, dims: Sequence[int]):
    count = len(dims)
    return op.Slice(self, [-1] * count, [-(1 << 63)] * count, dims, [-1] * count) if count else self
