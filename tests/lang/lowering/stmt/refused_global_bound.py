"""stmt.refused, OW303: what is counted outside of the function, told once."""

from opwright import FLOAT, script

COUNT = 0


@script()
def F(x: FLOAT["N"]):
    global COUNT
    COUNT += 1
    if COUNT > 1:
        COUNT = 0
    return x * COUNT
