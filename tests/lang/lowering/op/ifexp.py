"""op.ifexp: Only the chosen side is evaluated."""

from opwright import FLOAT, script


@script()
def F(x: FLOAT):
    return x if x > 0 else -x
