"""stmt.for.rows: the name keeps the last row."""

from opwright import FLOAT, script


@script()
def F(x: FLOAT[3, "N"], y: FLOAT["N"]):
    for row in x:
        y = y + row
    return y * row
