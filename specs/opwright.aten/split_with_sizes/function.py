from collections.abc import Sequence

from opwright import opset18 as op

from ..split_Tensor.function import parts_between


def split_with_sizes(self, split_sizes=None, *, sizes: Sequence[int] | None = None, dim: int = 0, count: int = 1):
    if sizes is None:
        assert split_sizes is not None
        ends = op.CumSum(split_sizes, 0)
        return parts_between(self, [[0], *(op.Slice(ends, [place], [place + 1]) for place in range(count))], dim)
    if len(sizes) == 1:
        return self
    return tuple(op.Split(self, list(sizes), axis=dim))
