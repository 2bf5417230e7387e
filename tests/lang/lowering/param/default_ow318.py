"""param.default, OW318: a default is of the attribute's type."""

from opwright import FLOAT, script


@script()
def F(x: FLOAT["N"], alpha: float = "one"):
    return x
