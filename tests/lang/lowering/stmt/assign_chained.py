"""stmt.assign.chained: One value, several names."""

from opwright import FLOAT, script


@script()
def F(x: FLOAT["N"]):
    a = b = -x
    return a * b
