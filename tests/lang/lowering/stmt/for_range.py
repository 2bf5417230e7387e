"""stmt.for.range: A loop over `range` becomes a `Loop`, which carries what later trips read, of tuples their parts."""

from opwright import FLOAT, INT64, script


@script()
def F(x: FLOAT["N"], n: INT64):
    y = x
    for i in range(n):
        y = y + x
    return y
