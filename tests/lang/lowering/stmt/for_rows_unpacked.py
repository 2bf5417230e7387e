"""stmt.for.rows: of a number that is known they are unpacked."""

from opwright import FLOAT, script


@script()
def F(x: FLOAT[2, "N"]):
    a, b = x
    return a + b
