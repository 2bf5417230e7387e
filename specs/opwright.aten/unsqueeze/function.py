from collections.abc import Sequence

from opwright import opset18 as op


def unsqueeze(self, dim: Sequence[int]):
    return op.Unsqueeze(self, dim)
