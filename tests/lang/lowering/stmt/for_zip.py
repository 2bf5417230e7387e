"""stmt.for.enumerate: `zip` goes as far as the shortest."""

from opwright import FLOAT, script


@script()
def F(x: FLOAT["M", "N"], y: FLOAT["M"], z: FLOAT["N"]):
    for row, scale in zip(x, y):
        z = z + row * scale
    return z
