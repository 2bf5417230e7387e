"""op.add, OW314: there is no arithmetic on booleans."""

from opwright import BOOL, script


@script()
def F(x: BOOL["N"], y: BOOL["N"]):
    return x + y
