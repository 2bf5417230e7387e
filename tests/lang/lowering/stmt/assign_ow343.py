"""stmt.assign, OW343: storage cannot change."""

from opwright import FLOAT, script


@script()
def F(x: FLOAT["N"]):
    x[0] = 1.0
    return x
