"""stmt.expression, OW315: it is checked like any other."""

from opwright import FLOAT, INT64, script


@script()
def F(x: FLOAT["N"], n: INT64["N"]):
    x + n
    return -x
