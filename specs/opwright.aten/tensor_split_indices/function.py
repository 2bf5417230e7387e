from collections.abc import Sequence

from opwright import opset18 as op

from ..split_Tensor.function import parts_between

_END = (1 << 63) - 1


def tensor_split_indices(
    self, sizes: Sequence[int] | None = None, dim: int = 0, *, indices: Sequence[int] | None = None
):
    if sizes is None:
        assert indices is not None
        return parts_between(self, [[place] for place in (0, *indices, _END)], dim)
    if len(sizes) == 1:
        return self
    return tuple(op.Split(self, list(sizes), axis=dim))
