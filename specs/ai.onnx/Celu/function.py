from opwright import BFLOAT16, FLOAT, FLOAT16
from opwright import opset13 as op


def Celu(X, alpha: float = 1.0):
    """Positive elements pass as they are, instead of being divided and multiplied by alpha, which rounds twice.

    exp(x) - 1 loses every digit of a small x: here it is corrected, and half-width types are computed in float.
    """
    if X.dtype in (FLOAT16, BFLOAT16):
        return op.Cast(celu(op.Cast(X, to=FLOAT), alpha), to=X.dtype)
    return celu(X, alpha)


def celu(x, alpha):
    return op.Where(x < 0, alpha * expm1(x / alpha), x)


def expm1(x):
    """Below -40 it is -1 in every type, and above that log(u) is finite: u is exp(x) as rounded, and x - log(u) puts
    its rounding right."""
    x = op.Max(x, -40)
    u = op.Exp(x)
    return (u - 1) + u * (x - op.Log(u))
