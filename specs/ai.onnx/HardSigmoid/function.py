from opwright import BFLOAT16, FLOAT, FLOAT16
from opwright import opset13 as op


def HardSigmoid(X, alpha: float = 0.2, beta: float = 0.5):
    """One Clip in place of Max and Min; nan stays nan. Half-width types are computed in float and rounded once."""
    if X.dtype in (FLOAT16, BFLOAT16):
        return op.Cast(hard_sigmoid(op.Cast(X, to=FLOAT), alpha, beta), to=X.dtype)
    return hard_sigmoid(X, alpha, beta)


def hard_sigmoid(x, alpha, beta):
    return op.Clip(alpha * x + beta, 0, 1)
