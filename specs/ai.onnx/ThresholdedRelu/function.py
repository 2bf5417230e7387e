from opwright import BFLOAT16, FLOAT, FLOAT16
from opwright import opset13 as op


def ThresholdedRelu(X, alpha: float = 1.0):
    """X where it exceeds alpha, else 0 (nan exceeds nothing).

    Half-width types are compared in float: a rounded alpha would move the threshold.
    """
    if X.dtype in (FLOAT16, BFLOAT16):
        return op.Cast(thresholded_relu(op.Cast(X, to=FLOAT), alpha), to=X.dtype)
    return thresholded_relu(X, alpha)


def thresholded_relu(x, alpha):
    return op.Where(x > alpha, x, 0)
