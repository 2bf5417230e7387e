"""stmt.assign.tuple: The right side is evaluated whole before any name is bound."""

from opwright import FLOAT, script


@script()
def F(a: FLOAT["N"], b: FLOAT["N"]):
    a, b = b, a
    return a - b
