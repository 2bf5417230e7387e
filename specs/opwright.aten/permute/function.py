from collections.abc import Sequence

from opwright import opset18 as op


def permute(self, dims: Sequence[int]):
    return op.Transpose(self, perm=dims)
