"""stmt.for.rows, OW328: how many there are is known at run time only."""

from opwright import FLOAT, script


@script()
def F(x: FLOAT["M", "N"]):
    a, b = x
    return a + b
