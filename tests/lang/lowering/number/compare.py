"""number.compare: Numbers known at run time are compared as Python does."""

from opwright import FLOAT, script


@script()
def F(x: FLOAT["N"], n: int):
    if n != 2:
        x = x * n
    return x
