import math

from opwright import BFLOAT16, DOUBLE, FLOAT
from opwright import opset18 as op

# atan(a) / a as a polynomial in 2 * a^2 - 1, highest power first: the interpolation at the Chebyshev points of
# 0 <= a <= 1, with a relative error below 1e-16.
ATAN = (
    -3.9424876295743705e-12,
    1.2369300878038631e-11,
    -1.7206721008504688e-11,
    5.4530617071430425e-11,
    -2.2485082893059992e-10,
    7.145711064898975e-10,
    -2.2098549204797562e-09,
    7.080726892292375e-09,
    -2.2851130290487076e-08,
    7.394955744231534e-08,
    -2.4077781318524385e-07,
    7.898630570194182e-07,
    -2.614079333315315e-06,
    8.744938994100005e-06,
    -2.965003950457454e-05,
    0.00010227656107321704,
    -0.00036098208717686163,
    0.0013155859496332622,
    -0.005030863660244394,
    0.020851851207108,
    -0.10187654235021827,
    0.8704197513671031,
)


def asin(self):
    if self.dtype == DOUBLE:
        return in_double(self)
    if self.dtype == BFLOAT16 and op.version < 22:
        return op.Cast(op.Asin(op.Cast(self, to=FLOAT)), to=BFLOAT16)
    return op.Asin(self)


def in_double(x):
    """For a runtime without Asin in double: the arctangent of the quotient of sine and cosine, or of its reciprocal."""
    a = op.Abs(x)
    c = op.Sqrt((1 - a) * (a + 1))
    y = atan_to_1(op.Min(a, c) / op.Max(a, c))
    return op.Sign(x) * op.Where(a > c, math.pi / 2 - y, y)


def atan_to_1(a):
    """The arctangent of a number from 0 to 1."""
    v = a * a * 2 - 1
    value = ATAN[0]
    for coefficient in ATAN[1:]:
        value = value * v + coefficient
    return a * value
