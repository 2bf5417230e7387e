from opwright import BFLOAT16, FLOAT, FLOAT16
from opwright import opset13 as op


def Selu(X, alpha: float = 1.67326319217681884765625, gamma: float = 1.05070102214813232421875):
    """alpha * exp(x) - alpha loses every digit of a small x.

    tanh(x / 2) * (exp(x) + 1) is exp(x) - 1 and keeps them.
    """
    if X.dtype in (FLOAT16, BFLOAT16):
        return op.Cast(selu(op.Cast(X, to=FLOAT), alpha, gamma), to=X.dtype)
    return selu(X, alpha, gamma)


def selu(x, alpha, gamma):
    return gamma * op.Where(x < 0, alpha * expm1(x), x)


def expm1(x):
    return op.Tanh(x * 0.5) * (op.Exp(x) + 1)
