"""stmt.for.enumerate: The rows of a tensor, each with its number."""

from opwright import FLOAT, script


@script()
def F(x: FLOAT["M", "N"], y: FLOAT["N"]):
    for i, row in enumerate(x, 1):
        y = y + row * i
    return y
