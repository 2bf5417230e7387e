"""op.add, OW315: element types are never promoted."""

from opwright import DOUBLE, FLOAT, script


@script()
def F(x: FLOAT["N"], y: DOUBLE["N"]):
    return x + y
