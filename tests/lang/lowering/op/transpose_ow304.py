"""op.transpose, OW304: numbers have no axes."""

from opwright import FLOAT, script


@script()
def F(x: FLOAT["N"], n: int):
    return x * n.T
