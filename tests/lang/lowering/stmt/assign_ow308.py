"""stmt.assign, OW308: a name may be used before it has a value."""

from opwright import FLOAT, script


@script()
def F(x: FLOAT["N"]):
    z = y
    y = -x
    return z
