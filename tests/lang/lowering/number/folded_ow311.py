"""number.folded, OW311: the compiler's own work is bounded."""

from opwright import FLOAT, script


@script()
def F(x: FLOAT["N"]):
    return x * (2**100000)
