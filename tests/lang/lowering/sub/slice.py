"""sub.slice: Start and stop, each of either sign or left out."""

from opwright import FLOAT, script


@script()
def F(x: FLOAT["N"]):
    return x[1:-1]
