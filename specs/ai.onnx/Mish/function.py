from opwright import BFLOAT16, FLOAT, FLOAT16
from opwright import opset13 as op


def Mish(X):
    """tanh(log(1 + e)) with e = exp(x) is w / (w + 2) with w = e * (e + 2): one exponential, no logarithm, no tanh.

    Written as 1 / (1 + 2 / w), nothing overflows to nan: an infinite w gives 1.
    """
    if X.dtype in (FLOAT16, BFLOAT16):
        return op.Cast(mish(op.Cast(X, to=FLOAT)), to=X.dtype)
    return mish(X)


def mish(x):
    e = op.Exp(x)
    return x / (2 / (e * (e + 2)) + 1)
