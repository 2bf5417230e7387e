"""number.size: How many elements a tensor has."""

from opwright import FLOAT, script


@script()
def F(x: FLOAT["M", "N"], y: FLOAT[2, 3]):
    return x * x.size + y.size
