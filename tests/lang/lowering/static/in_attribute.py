"""static.in: An attribute is in a tuple of known numbers where it equals one."""

from opwright import FLOAT, script


@script()
def F(x: FLOAT["N"], k: int = 1):
    return x * (2 if k not in (1, 2) else 5)
