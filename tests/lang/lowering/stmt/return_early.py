"""stmt.return.early: What follows an early `return` is the other branch."""

from opwright import FLOAT, script


@script()
def F(x: FLOAT):
    if x > 10:
        return x
    x = x + 4
    if x > 10:
        return -x
    return x + 100
