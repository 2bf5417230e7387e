from opwright import opset17 as op


def Bound(X, low=None, high=None):
    """A variant for each combination of bounds."""
    if low is not None:
        X = op.Max(X, low)
    if high is not None:
        X = op.Min(X, high)
    return X
