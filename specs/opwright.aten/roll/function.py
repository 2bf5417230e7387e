from collections.abc import Sequence

from opwright import opset18 as op


def roll(self, shifts: Sequence[int], dims: Sequence[int] = (), *, cuts: Sequence[int]):
    if len(dims) > 0:
        x = self
        for shift, axis, cut in zip(shifts, dims, cuts, strict=True):
            x = _rolled(x, shift, axis, cut)
        return x
    return op.Reshape(_rolled(op.Reshape(self, [-1]), shifts[0], 0, cuts[0]), op.Shape(self), allowzero=1)


def _rolled(x, shift, axis, cut):
    if cut == 0:
        return x
    if cut < 0:
        size = op.Gather(op.Shape(x), [axis])
        size = op.Max(size, 1)  # Mod by 0 is an error
        at = op.Mod(op.Mod([-shift], size) + size, size)
        return op.Concat(op.Slice(x, at, [(1 << 63) - 1], [axis]), op.Slice(x, [0], at, [axis]), axis=axis)
    return op.Concat(op.Slice(x, [cut], [(1 << 63) - 1], [axis]), op.Slice(x, [0], [cut], [axis]), axis=axis)
