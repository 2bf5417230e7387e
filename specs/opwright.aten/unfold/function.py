from collections.abc import Sequence

from opwright import opset18 as op


def unfold(
    self, dimension: int, size: int, step: int, order: Sequence[int] | None = None, lengths: Sequence[int] | None = None
):
    length = op.Gather(op.Shape(self), dimension) if lengths is None else op.Squeeze(op.Constant(value_ints=lengths))
    starts = op.Range(0, length - size + 1, step)
    parts = op.Gather(self, op.Unsqueeze(starts, [-1]) + op.Range(0, size, 1), axis=dimension)
    return parts if order is None else op.Transpose(parts, perm=order)
