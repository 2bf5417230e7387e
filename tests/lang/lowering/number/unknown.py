"""number.unknown: Numbers that are known at run time obey Python too: `/` is true division."""

from opwright import FLOAT, script


@script()
def F(x: FLOAT["N"], n: int):
    return x * (n / 2)
