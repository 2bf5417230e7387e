from golden_ops import opset2 as acme
from opwright import opset17 as op


def Twice(X):
    """Calls a function of its own library."""
    return op.Add(acme.Gate(X), acme.Gate(X, alpha=2.0))
