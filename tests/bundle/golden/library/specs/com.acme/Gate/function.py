from opwright import FLOAT
from opwright import opset17 as op


def Gate(X, alpha: float = 1.0):
    """Two variants, by type, and a body that serves several opsets."""
    if X.dtype == FLOAT:
        return X * op.Sigmoid(alpha * X)
    return X / (1 + op.Exp(-alpha * X))
