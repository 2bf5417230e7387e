from collections.abc import Sequence

from opwright import opset18 as op


def squeeze(self, dim: Sequence[int] | None = None):
    return self if dim is None else op.Squeeze(self, dim)
