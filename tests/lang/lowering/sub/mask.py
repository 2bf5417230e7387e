"""sub.mask: A tensor of booleans keeps what it marks."""

from opwright import FLOAT, script


@script()
def F(x: FLOAT["N"]):
    return x[x > 1]
