from collections.abc import Sequence

from opwright import opset18 as op


def moveaxis_int(self, order: Sequence[int]):
    return op.Transpose(self, perm=order)
