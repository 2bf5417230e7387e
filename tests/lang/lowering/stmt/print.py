"""stmt.print: Warned about and left out: a graph prints nothing."""

from opwright import FLOAT, script


@script()
def F(x: FLOAT["N"]):
    y = -x
    print("y is", y)
    return y
