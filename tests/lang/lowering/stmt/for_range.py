"""stmt.for.range: A loop over `range` becomes a `Loop`; what its body binds and later trips read is carried."""

from opwright import FLOAT, INT64, script


@script()
def F(x: FLOAT["N"], n: INT64):
    y = x
    for i in range(n):
        y = y + x
    return y
