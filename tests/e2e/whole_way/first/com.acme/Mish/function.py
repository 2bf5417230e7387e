from acme_ops import opset1 as acme
from opwright import opset15 as op


def Mish(X):
    """X * tanh(Softplus(X))."""
    return X * op.Tanh(acme.Softplus(X))
