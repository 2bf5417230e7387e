"""sub.tensor: A tensor of integers takes positions along its axis."""

from opwright import FLOAT, INT64, script


@script()
def F(x: FLOAT["M", "N"], i: INT64["K"]):
    return x[i]
