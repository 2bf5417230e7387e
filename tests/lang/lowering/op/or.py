"""op.or: The second operand is evaluated only where the first is false."""

from opwright import FLOAT, INT64, script


@script()
def F(x: FLOAT, n: INT64):
    if n == 0 or x > 1:
        x = -x
    return x
