"""stmt.break: Anywhere in a loop. What follows in the trip is guarded."""

from opwright import FLOAT, INT64, script


@script()
def F(x: FLOAT, n: INT64):
    for i in range(n):
        if x > 10:
            break
        x = x * 2
    return x
