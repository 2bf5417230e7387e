"""number.index: A loop's index is a number."""

from opwright import FLOAT, INT64, script


@script()
def F(x: FLOAT["N"], n: INT64):
    for i in range(n):
        x = x + i / 2
    return x
