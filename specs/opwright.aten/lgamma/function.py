import math

from opwright import DOUBLE
from opwright import opset18 as op

# B(2 k) / (2 k (2 k - 1)) of Stirling's series, B being the Bernoulli numbers. From 8 on ten of them are exact in
# double.
TERMS = (
    1 / 12,
    -1 / 360,
    1 / 1260,
    -1 / 1680,
    1 / 1188,
    -691 / 360360,
    1 / 156,
    -3617 / 122400,
    43867 / 244188,
    -174611 / 125400,
)


def lgamma(self):
    return value(self) if self.dtype == DOUBLE else op.Cast(value(op.Cast(self, to=DOUBLE)), to=self.dtype)


def value(x):
    """Below 0 it is log(pi / |sin(pi * x)|) - lgamma(1 - x), infinite at integers, which minus infinity counts as.
    The quotient is the other way round, as that of the least numbers would be infinite."""
    x = op.Max(x, -1e300)
    r = x - op.Round(x)
    y = positive(op.Where(x < 0, 1 - x, x))
    return op.Where(x < 0, -op.Log(op.Abs(op.Sin(r * math.pi)) / math.pi) - y, y)


def positive(x):
    """Exactly 0 at 1 and 2, where (x - 1) * (x - 2) is."""
    return op.Where((x - 1) * (x - 2) == 0, 0, by_stirling(x))


def by_stirling(x):
    """By Stirling's series, of x below 8 for x + 8, less the logarithm of the product of x + k for each k below 8, two
    of them at a time: q = x * (x + 7), q + 6, q + 10 and q + 12."""
    z = op.Where(x < 8, x + 8, x)
    q = op.Where(x < 8, x * (x + 7), 1)
    product = op.Where(x < 8, q * (q + 6) * ((q + 10) * (q + 12)), 1)
    rest = asymptotic(z, TERMS) / z + (0.5 * math.log(2 * math.pi) - 0.5)
    return (z - 0.5) * (op.Log(z) - 1) + rest - op.Log(product)


def asymptotic(z, terms):
    """The rest of Stirling's series as a polynomial in 1 / z^2."""
    v = 1 / (z * z)
    value = terms[-1]
    for term in terms[-2::-1]:
        value = value * v + term
    return value
