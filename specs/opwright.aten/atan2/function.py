import math

from opwright import BFLOAT16, DOUBLE, FLOAT, FLOAT16
from opwright import opset18 as op

from ..atan.function import in_double


def atan2(self, other):
    if self.dtype in (FLOAT16, BFLOAT16):
        return op.CastLike(_atan2(op.Cast(self, to=FLOAT), op.Cast(other, to=FLOAT)), self)
    return _atan2(self, other)


def _atan2(y, x):
    height, width = op.Abs(y), op.Abs(x)
    # Two zeros and two infinities have no quotient.
    tangent = op.Where(height == width, op.Sign(height), height / width)
    angle = in_double(tangent) if y.dtype == DOUBLE else op.Atan(tangent)
    angle = op.Where(_signed(x) < 0, math.pi - angle, angle)
    return angle * op.Sign(_signed(y))


def _signed(x):
    """A number of the same sign that is not 0: the reciprocal of -0 is below 0."""
    return x + op.Reciprocal(x)
