"""number.unknown: `%` of integers has the sign of the divisor, as `Mod` has it."""

from opwright import FLOAT, script


@script()
def F(x: FLOAT["N"], n: int):
    return x + n % 3
