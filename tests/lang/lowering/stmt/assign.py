"""stmt.assign: A name is bound to a value; nothing is emitted for that."""

from opwright import FLOAT, script


@script()
def F(x: FLOAT["N"]):
    y = -x
    z = y
    return z
