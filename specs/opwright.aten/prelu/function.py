from collections.abc import Sequence

from opwright import DOUBLE
from opwright import opset18 as op


def prelu(self, weight, *, shape: Sequence[int] | None = None):
    slope = weight if shape is None else op.Reshape(weight, op.Constant(value_ints=shape))
    return op.Where(self < 0, self * slope, self) if self.dtype == DOUBLE else op.PRelu(self, slope)
