"""stmt.continue: Anywhere in a loop."""

from opwright import FLOAT, INT64, script


@script()
def F(x: FLOAT, n: INT64):
    for i in range(n):
        if i % 2 == 0:
            continue
        x = x + i
    return x
