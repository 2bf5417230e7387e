"""stmt.for.items: The items of a list or tuple: one copy of the body for each."""

from opwright import FLOAT, script


@script()
def F(x: FLOAT["N"]):
    for scale in (1, 2, 3):
        x = x * scale
    return x
