import math

from opwright import DOUBLE
from opwright import opset18 as op

# The Bernoulli numbers B(2 k) / (2 k) of Stirling's series. From 8 on ten of them are exact in double, four in float.
TERMS = (
    1 / 12,
    -1 / 120,
    1 / 252,
    -1 / 240,
    1 / 132,
    -691 / 32760,
    1 / 12,
    -3617 / 8160,
    43867 / 14364,
    -174611 / 6600,
)
FLOAT_TERMS = (1 / 12, -1 / 120, 1 / 252, -1 / 240)


def digamma(self):
    if self.dtype == DOUBLE:
        return value(self, TERMS)
    return op.Cast(value(op.Cast(self, to=DOUBLE), FLOAT_TERMS), to=self.dtype)


def value(x, terms):
    """Below 0 it is digamma(1 - x) - pi / tan(pi * x), which is not a number at integers: there c is infinite."""
    r = x - op.Round(x)
    c = op.Cos(r * math.pi) / op.Sin(r * math.pi)
    return op.Where(x < 0, positive(1 - x, terms) - (c + (c - c)) * math.pi, positive(x, terms))


def positive(x, terms):
    """By Stirling's series for x + 8, and the sum of 1 / (x + k) for each k below 8, two of them at a time: their
    denominators are q = x * (x + 7), q + 6, q + 10 and q + 12. Of a great x that sum is 0."""
    z = x + 8
    w = op.Min(x, 1e150)
    q = w * (w + 7)
    sums = (w * 2 + 7) * (1 / q + (1 / (q + 6) + (1 / (q + 10) + 1 / (q + 12))))
    return op.Log(z) - 0.5 / z - asymptotic(z, terms) / (z * z) - sums


def asymptotic(z, terms):
    """The rest of Stirling's series as a polynomial in 1 / z^2."""
    v = 1 / (z * z)
    value = terms[-1]
    for term in terms[-2::-1]:
        value = value * v + term
    return value
