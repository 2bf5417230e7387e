from opwright import opset18 as op


def Swish(X, alpha: float = 1.0):
    """X * sigmoid(alpha * X)."""
    return X * op.Sigmoid(alpha * X)
