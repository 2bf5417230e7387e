"""stmt.for.range, OW308: a loop may make no trip."""

from opwright import FLOAT, INT64, script


@script()
def F(x: FLOAT["N"], n: INT64):
    for i in range(n):
        y = x
    return y
