from typing import Literal

from opwright import opset18 as op


def masked_scatter(self, mask, source, whole: Literal[False, True] = False):
    if self.rank == 0 and mask.rank == 0:
        return op.Squeeze(_scattered(op.Reshape(self, [1]), op.Reshape(mask, [1]), source))
    if not whole:
        mask = op.Expand(mask, op.Shape(self))
        self = op.Expand(self, op.Shape(mask))
    return _scattered(self, mask, source)


def _scattered(x, mask, source):
    places = op.Transpose(op.NonZero(mask))
    return op.ScatterND(x, places, op.Slice(op.Reshape(source, [-1]), [0], op.Shape(places, end=1)))
