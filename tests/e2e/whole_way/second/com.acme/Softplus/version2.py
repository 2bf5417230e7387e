from opwright import FLOAT, FLOAT16
from opwright import opset15 as op


def Softplus(X, beta: float = 1.0):
    """log(1 + exp(beta * X)) / beta, computed in float where X is float16."""
    if X.dtype == FLOAT16:
        return op.Cast(op.Softplus(beta * op.Cast(X, to=FLOAT)) / beta, to=FLOAT16)
    return op.Softplus(beta * X) / beta
