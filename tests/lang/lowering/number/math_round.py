"""number.math: An attribute to a number of digits."""

from opwright import FLOAT, script


@script()
def F(x: FLOAT["N"], a: float):
    return x * round(a, 2)
