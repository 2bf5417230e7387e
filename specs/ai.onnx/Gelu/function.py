import math
from typing import Literal

from opwright import BFLOAT16, DOUBLE, FLOAT, FLOAT16
from opwright import opset13 as op

# (1 + z) * exp(z^2) * erfc(z) as a polynomial in (z - 3) / (z + 3), highest power first: the interpolation at the
# Chebyshev points of 0 <= z <= 28, above which erfc is 0 in double. Its relative error is below 3e-17.
SCALED_COMPLEMENT = (
    -3.874927018513941e-10,
    -2.8069201431828436e-09,
    -3.6382323101630802e-09,
    1.660380051697687e-08,
    4.560492173239995e-08,
    -4.912389625943749e-08,
    -2.8866536018827494e-07,
    6.337155055054634e-08,
    1.586110810751114e-06,
    2.5899717103289334e-07,
    -8.989110534394668e-06,
    -1.5137374167985043e-06,
    5.611914347733162e-05,
    -2.055176388233232e-05,
    -0.0003672884426838935,
    0.0006458142261032549,
    0.0016185691233168672,
    -0.009750689294643091,
    0.021957764012873467,
    -0.023803913108591583,
    -0.01023538889901369,
    0.09902075367943886,
    -0.23092733308380917,
    0.7160046047255598,
)


def Gelu(X, approximate: Literal["none", "tanh"] = "none"):
    """Half-width types are computed in float, with Erf as the standard's body; but there 1 + erf has few digits, or
    none, where X is below -3.

    Erf in double is no more than a float on one runtime, and another has none. So double has a form of its own, which
    keeps all digits of a far negative X too, as does the approximation.
    """
    if approximate == "tanh":
        return like(approximation(op.Cast(X, to=DOUBLE)), X)
    if X.dtype == DOUBLE:
        return exact_in_double(X)
    if X.dtype in (FLOAT16, BFLOAT16):
        return op.Cast(exact(op.Cast(X, to=FLOAT)), to=X.dtype)
    return exact(X)


def Simple(X, approximate: Literal["none", "tanh"] = "none"):
    """Proposed to the standard, and shipped nowhere: the formulas as one writes them, without care for negative X."""
    if approximate == "tanh":
        return 0.5 * X * (1 + op.Tanh(math.sqrt(2 / math.pi) * (X + 0.044715 * (X * X * X))))
    return exact(X)


def exact(x):
    return 0.5 * x * (1 + op.Erf(x / math.sqrt(2)))


def exact_in_double(x):
    """x * Phi(x), from Phi(-|x|) = 0.5 * erfc(|x| / sqrt(2)).

    The square of |x| would lose the digits that exp(-x^2 / 2) needs; that of |x| rounded to float is exact, and the
    rest, (h - w) * (h + w) / 2, is small.
    """
    w = op.Min(op.Abs(x), 40)
    h = op.Cast(op.Cast(w, to=FLOAT), to=DOUBLE)
    z = w * math.sqrt(0.5)
    s = (z - 3) / (z + 3)
    value = SCALED_COMPLEMENT[0]
    for coefficient in SCALED_COMPLEMENT[1:]:
        value = value * s + coefficient
    tail = 0.5 * value / (z + 1) * (op.Exp(-0.5 * h * h) * op.Exp((h - w) * (h + w) * 0.5))
    return x * op.Where(x > 0, 1 - tail, tail)


def approximation(x):
    """0.5 * (1 + tanh(u)) is 1 / (1 + exp(-2 u)), which keeps the digits of a far negative u."""
    return x / (1 + op.Exp(-2 * math.sqrt(2 / math.pi) * (x + 0.044715 * (x * x * x))))


def like(value, x):
    if op.version < 15:
        return op.Cast(value, to=x.dtype)
    return op.CastLike(value, x)
