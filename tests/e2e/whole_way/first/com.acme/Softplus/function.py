from opwright import FLOAT, FLOAT16
from opwright import opset15 as op


def Softplus(X):
    """log(1 + exp(X)), computed in float where X is float16."""
    if X.dtype == FLOAT16:
        return op.Cast(op.Softplus(op.Cast(X, to=FLOAT)), to=FLOAT16)
    return op.Softplus(X)
