from opwright import opset13 as op


def GreaterOrEqual(A, B):
    """As the standard's own body: not(A < B) would be one operator less, but true where an operand is nan."""
    return op.Or(op.Greater(A, B), op.Equal(A, B))
