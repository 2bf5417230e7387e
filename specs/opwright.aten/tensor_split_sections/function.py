from collections.abc import Sequence

from opwright import opset18 as op

from ..split_Tensor.function import parts_between


def tensor_split_sections(self, sizes: Sequence[int] | None = None, dim: int = 0, *, sections: int = 1):
    if sizes is None:
        whole = op.Gather(op.Shape(self), op.Constant(value_ints=[dim]))
        size, left = whole / sections, whole % sections
        return parts_between(self, [size * place + op.Min(left, place) for place in range(sections + 1)], dim)
    if len(sizes) == 1:
        return self
    return tuple(op.Split(self, list(sizes), axis=dim))
