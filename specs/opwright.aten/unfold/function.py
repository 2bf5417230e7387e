from collections.abc import Sequence

from opwright import opset18 as op


def unfold(self, dimension: int, size: int, step: int, order: Sequence[int] | None = None):
    starts = op.Range(0, op.Gather(op.Shape(self), dimension) - size + 1, step)
    parts = op.Gather(self, op.Unsqueeze(starts, [-1]) + op.Range(0, size, 1), axis=dimension)
    return parts if order is None else op.Transpose(parts, perm=order)
