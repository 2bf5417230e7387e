from collections.abc import Sequence

from opwright import opset18 as op

from ..split_Tensor.function import parts_between


def split_sizes(self, split_size=None, *, sizes: Sequence[int] | None = None, dim: int = 0, count: int = 1):
    if sizes is None:
        assert split_size is not None
        ends = op.CumSum(split_size, 0)
        return parts_between(self, [[0], *(op.Slice(ends, [place], [place + 1]) for place in range(count))], dim)
    if len(sizes) == 1:
        return self
    return tuple(op.Split(self, list(sizes), axis=dim))
