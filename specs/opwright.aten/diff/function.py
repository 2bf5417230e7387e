from typing import Literal

from opwright import BOOL
from opwright import opset18 as op


def diff(self, prepend=None, append=None, *, n: Literal[0, 1, 2, 3, 4] = 1, dim: int = -1):
    """Of truth values it is whether they differ."""
    if n == 0:
        return op.Identity(self)
    parts = [part for part in (prepend, self, append) if part is not None]
    x = op.Concat(*parts, axis=dim) if len(parts) > 1 else self
    if n == 1:
        return _once(x, dim)
    if n == 2:
        return _once(_once(x, dim), dim)
    if n == 3:
        return _once(_once(_once(x, dim), dim), dim)
    return _once(_once(_once(_once(x, dim), dim), dim), dim)


def _once(x, dim):
    axes = op.Constant(value_ints=[dim])
    later, former = op.Slice(x, [1], [(1 << 63) - 1], axes), op.Slice(x, [0], [-1], axes)
    return op.Xor(later, former) if x.dtype == BOOL else later - former
