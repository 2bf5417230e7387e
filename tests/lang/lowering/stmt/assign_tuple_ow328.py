"""stmt.assign.tuple, OW328: values and names differ in number."""

from opwright import FLOAT, script


@script()
def F(a: FLOAT["N"], b: FLOAT["N"]):
    a, b = b, a, a
    return a - b
