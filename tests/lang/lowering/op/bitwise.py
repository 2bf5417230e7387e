"""op.bitwise: `&`, `|`, `^`, `~` of integers, bit by bit."""

from opwright import INT64, script


@script()
def F(x: INT64["N"], y: INT64["N"]):
    return ((x & y) | (x ^ y)) - ~x
