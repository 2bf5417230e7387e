from opwright import opset13 as op


def LessOrEqual(A, B):
    """As the standard's own body: not(A > B) would be one operator less, but true where an operand is nan."""
    return op.Or(op.Less(A, B), op.Equal(A, B))
