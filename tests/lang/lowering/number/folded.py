"""number.folded: What is known is computed when the function is built, by Python's rules."""

from opwright import FLOAT, script


@script()
def F(x: FLOAT["N"]):
    return x * (7 / 2 + 7 // 2 - 7 % 4 + 2**3)
