"""op.refused, OW302: names that are not defined."""

from opwright import FLOAT, script


@script()
def F(x: FLOAT["N"]):
    return x + nothing
