"""stmt.for.refused, OW362: a tensor is no list."""

from opwright import FLOAT, script


@script()
def F(x: FLOAT["N"]):
    y = x
    for row in x:
        y = y + row
    return y
