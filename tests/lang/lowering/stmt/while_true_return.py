"""stmt.while.true: A loop that nothing ends but `return`; its value leaves with the loop."""

from opwright import FLOAT, script


@script()
def F(x: FLOAT):
    while True:
        if x > 10:
            return x
        x = x * 2
