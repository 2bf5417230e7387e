"""sub.several: A subscript for each axis, from the first."""

from opwright import FLOAT, script


@script()
def F(x: FLOAT["M", "N"]):
    return x[1, 0]
