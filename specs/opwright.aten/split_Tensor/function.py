from collections.abc import Sequence

from opwright import opset18 as op


def split_Tensor(self, split_size=None, *, sizes: Sequence[int] | None = None, dim: int = 0, count: int = 1):
    if sizes is None:
        assert split_size is not None
        size = op.Reshape(split_size, [1])
        return parts_between(self, [size * place for place in range(count + 1)], dim)
    if len(sizes) == 1:
        return self
    return tuple(op.Split(self, list(sizes), axis=dim))


def parts_between(x, bounds, dim):
    """The parts along a dimension between bounds, each a list of one number. Those beyond the end are at the end."""
    axes = op.Constant(value_ints=[dim])
    return tuple(op.Slice(x, bounds[place], bounds[place + 1], axes) for place in range(len(bounds) - 1))
