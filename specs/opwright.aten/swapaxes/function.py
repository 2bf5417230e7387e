from collections.abc import Sequence

from opwright import opset18 as op


def swapaxes(self, order: Sequence[int] | None = None):
    return self if order is None else op.Transpose(self, perm=order)
