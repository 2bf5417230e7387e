from opwright import opset18 as op


def xlogy_Tensor(self, other):
    """0 times any logarithm is 0, and only that of nan is nan."""
    return op.Where(self == 0, op.Where(op.IsNaN(other), other, 0), self * op.Log(other))
