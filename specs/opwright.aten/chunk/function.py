from collections.abc import Sequence

from opwright import opset18 as op

from ..split_Tensor.function import parts_between


def chunk(self, sizes: Sequence[int] | None = None, dim: int = 0, *, chunks: int = 1, count: int = 1):
    if sizes is None:
        parts = op.Constant(value_ints=[chunks])
        size = (op.Gather(op.Shape(self), op.Constant(value_ints=[dim])) + parts - 1) / parts
        return parts_between(self, [size * place for place in range(count + 1)], dim)
    if len(sizes) == 1:
        return self
    return tuple(op.Split(self, list(sizes), axis=dim))
