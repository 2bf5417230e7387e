"""number.compare: A chain looks at its second half only where the first one holds."""

from opwright import FLOAT, script


@script()
def F(x: FLOAT["N"], n: int):
    if 0 < n <= 3:
        x = x * n
    return x
