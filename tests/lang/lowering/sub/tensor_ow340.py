"""sub.tensor, OW340: floats are no positions."""

from opwright import FLOAT, script


@script()
def F(x: FLOAT["M", "N"], i: FLOAT["K"]):
    return x[i]
