"""stmt.for.variable: The loop variable keeps its last value."""

from opwright import FLOAT, script


@script()
def F(x: FLOAT["N"]):
    for i in range(5):
        x = x + i
    return x + i
