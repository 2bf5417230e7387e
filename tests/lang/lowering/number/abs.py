"""number.abs: `abs` of a number."""

from opwright import FLOAT, script


@script()
def F(x: FLOAT["N"], n: int):
    return x * abs(n)
