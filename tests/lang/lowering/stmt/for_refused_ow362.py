"""stmt.for.refused, OW362: Whether lists are equally long is known too late."""

from opwright import FLOAT, script


@script()
def F(x: FLOAT["M", "N"], y: FLOAT["M", "N"]):
    z = x
    for a, b in zip(x, y, strict=True):
        z = z + a * b
    return z
