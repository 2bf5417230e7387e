"""sub.slice.step: Steps of either sign."""

from opwright import FLOAT, script


@script()
def F(x: FLOAT["N"]):
    return x[::-2]
