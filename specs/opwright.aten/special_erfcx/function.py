from opwright import DOUBLE
from opwright import opset18 as op

# (1 + w) * exp(w^2) * erfc(w) as a polynomial in (w - 3) / (w + 3), highest power first: the interpolation at the
# Chebyshev points of w >= 0. Its relative error is below 1e-16.
SCALED = (
    -9.293718866480873e-11,
    -4.123986652008325e-11,
    9.727121897236219e-10,
    8.144732490661972e-10,
    -5.219636899535636e-09,
    -7.772784773931853e-09,
    1.9136881640078598e-08,
    5.209874935743836e-08,
    -5.011816261093026e-08,
    -2.945591693737763e-07,
    6.300040014600058e-08,
    1.5894924441898844e-06,
    2.596037384965016e-07,
    -8.990382099441031e-06,
    -1.514046022139011e-06,
    5.611945859294503e-05,
    -2.0551678368657495e-05,
    -0.00036728849317181085,
    0.0006458142123139868,
    0.0016185691283026596,
    -0.009750689293391925,
    0.021957764012596716,
    -0.023803913108648548,
    -0.010235388899006492,
    0.09902075367943985,
    -0.23092733308380922,
    0.7160046047255598,
)


def special_erfcx(self):
    """Of a negative x it is 2 * exp(x^2) less that of -x."""
    x = self if self.dtype == DOUBLE else op.Cast(self, to=DOUBLE)
    y = scaled(op.Abs(x), SCALED)
    y = op.Where(x < 0, op.Exp(x * x) * 2 - y, y)
    return y if self.dtype == DOUBLE else op.Cast(y, to=self.dtype)


def scaled(w, coefficients):
    """exp(w^2) * erfc(w), of infinity 0."""
    s = 1 - 6 / (w + 3)
    value = coefficients[0]
    for coefficient in coefficients[1:]:
        value = value * s + coefficient
    return value / (w + 1)
