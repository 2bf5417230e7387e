"""sub.int: One position; the axis goes. Negative ones count from the end."""

from opwright import FLOAT, script


@script()
def F(x: FLOAT["M", "N"]):
    return x[0] + x[-1]
