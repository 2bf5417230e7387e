from opwright import BFLOAT16, FLOAT, FLOAT16
from opwright import opset13 as op


def LeakyRelu(X, alpha: float = 0.01):
    """Where X is negative, alpha * X. Half-width types are multiplied in float, so that alpha is not rounded too."""
    if X.dtype in (FLOAT16, BFLOAT16):
        return op.Cast(leaky_relu(op.Cast(X, to=FLOAT), alpha), to=X.dtype)
    return leaky_relu(X, alpha)


def leaky_relu(x, alpha):
    return op.Where(x < 0, alpha * x, x)
