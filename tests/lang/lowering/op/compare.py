"""op.compare: Element by element."""

from opwright import FLOAT, script


@script()
def F(x: FLOAT["N"], y: FLOAT["N"]):
    return (x < y) & (x <= y) & (x != y) | (x > y) & (x >= y) | (x == y)
