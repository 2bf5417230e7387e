"""sub.ellipsis: The axes that no other subscript speaks of."""

from opwright import FLOAT, script


@script()
def F(x: FLOAT["L", "M", "N"]):
    return x[..., 0]
