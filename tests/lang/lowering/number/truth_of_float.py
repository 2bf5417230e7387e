"""number.bool: A float is true where the double is not zero."""

from opwright import FLOAT, script


@script()
def F(x: FLOAT["N"], a: float):
    return x * (1 if a * 1e-50 else 2)
