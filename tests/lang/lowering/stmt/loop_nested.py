"""stmt.loop.nested: Loops in loops. The inner one is a node of the outer one's body."""

from opwright import FLOAT, INT64, script


@script()
def F(x: FLOAT, n: INT64):
    for i in range(n):
        for j in range(n):
            x = x + 1
    return x
