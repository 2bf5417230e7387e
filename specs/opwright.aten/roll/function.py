from collections.abc import Sequence

from opwright import opset18 as op


def roll(self, shifts=None, *, dims: Sequence[int] = (), cuts: Sequence[int]):
    is_flat = len(dims) == 0
    x = op.Reshape(self, [-1]) if is_flat else self
    for place, (axis, cut) in enumerate(zip([0] if is_flat else dims, cuts, strict=True)):
        x = _rolled(x, shifts, place, axis, cut)
    return op.Reshape(x, op.Shape(self), allowzero=1) if is_flat else x


def _rolled(x, shifts, place, axis, cut):
    if cut == 0:
        return x
    if cut < 0:
        assert shifts is not None
        size = op.Gather(op.Shape(x), [axis])
        size = op.Max(size, 1)  # Mod by 0 is an error
        at = op.Mod(-op.Gather(shifts, [place]), size)
        return op.Concat(op.Slice(x, at, [(1 << 63) - 1], [axis]), op.Slice(x, [0], at, [axis]), axis=axis)
    return op.Concat(op.Slice(x, [cut], [(1 << 63) - 1], [axis]), op.Slice(x, [0], [cut], [axis]), axis=axis)
