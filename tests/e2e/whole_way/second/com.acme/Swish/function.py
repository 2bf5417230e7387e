from opwright import opset15 as op


def Swish(X, alpha: float = 1.0):
    """X * sigmoid(alpha * X)."""
    return op.Sigmoid(X * alpha) * X
