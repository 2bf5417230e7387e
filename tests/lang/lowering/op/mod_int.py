"""op.mod: Remainder with the sign of the divisor."""

from opwright import INT64, script


@script()
def F(x: INT64["N"], y: INT64["N"]):
    return x % y
