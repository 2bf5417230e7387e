"""stmt.while.true: A loop without end but by `break` or `return`."""

from opwright import FLOAT, script


@script()
def F(x: FLOAT):
    while True:
        x = x * 2
        if x > 10:
            break
    return x
