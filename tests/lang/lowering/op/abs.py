"""op.abs: Absolute value."""

from opwright import FLOAT, script


@script()
def F(x: FLOAT["N"]):
    return abs(x)
