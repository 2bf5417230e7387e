from opwright import BFLOAT16, FLOAT, FLOAT16
from opwright import opset13 as op


def Elu(X, alpha: float = 1.0):
    """exp(x) - 1 loses every digit of a small x; tanh(x / 2) * (exp(x) + 1) is the same number and keeps them."""
    if X.dtype in (FLOAT16, BFLOAT16):
        return op.Cast(elu(op.Cast(X, to=FLOAT), alpha), to=X.dtype)
    return elu(X, alpha)


def elu(x, alpha):
    return op.Where(x < 0, alpha * expm1(x), x)


def expm1(x):
    return op.Tanh(x * 0.5) * (op.Exp(x) + 1)
