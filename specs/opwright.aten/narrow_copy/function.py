from collections.abc import Sequence

from opwright import opset18 as op


def narrow_copy(self, start, length, dim: Sequence[int]):
    return op.Slice(self, start, start + length, dim)
