"""sub.none: A new axis of one."""

from opwright import FLOAT, script


@script()
def F(x: FLOAT["N"]):
    return x[:, None] * x[None, :]
