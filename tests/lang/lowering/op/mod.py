"""op.mod: Remainder with the sign of the divisor."""

from opwright import FLOAT, script


@script()
def F(x: FLOAT["N"], y: FLOAT["N"]):
    return x % y
