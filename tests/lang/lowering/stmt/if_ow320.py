"""stmt.if, OW320: a condition is one element."""

from opwright import FLOAT, script


@script()
def F(x: FLOAT[2]):
    if x > 0:
        x = -x
    return x
