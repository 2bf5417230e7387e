from collections.abc import Sequence

from opwright import opset18 as op


def rot90(self, reversed: Sequence[int], order: Sequence[int] | None = None):
    count = len(reversed)
    x = op.Slice(self, [-1] * count, [-(1 << 63)] * count, reversed, [-1] * count) if count else self
    return x if order is None else op.Transpose(x, perm=order)
