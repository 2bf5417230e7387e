"""stmt.for.range: A loop that no output needs is dropped whole."""

from opwright import FLOAT, INT64, script


@script()
def F(x: FLOAT["N"], n: INT64):
    y = x
    for i in range(n):
        y = y + x
    return -x
