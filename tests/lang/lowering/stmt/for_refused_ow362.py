"""stmt.for.refused, OW362: `zip` needs lists of known length."""

from opwright import FLOAT, script


@script()
def F(x: FLOAT["M", "N"], y: FLOAT["M", "N"]):
    z = x
    for a, b in zip(x, y):
        z = z + a * b
    return z
