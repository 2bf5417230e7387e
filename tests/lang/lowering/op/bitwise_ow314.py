"""op.bitwise, OW314: floats have no bits."""

from opwright import FLOAT, script


@script()
def F(x: FLOAT["N"], y: FLOAT["N"]):
    return x & y
