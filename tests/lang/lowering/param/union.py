"""param.union: One of several element types, the same in each use."""

from opwright import DOUBLE, FLOAT, script


@script()
def F(x: FLOAT["N"] | DOUBLE["N"]):
    return x + 1
