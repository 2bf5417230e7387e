"""stmt.loop.else: Without a `break` it is what follows the loop."""

from opwright import FLOAT, script


@script()
def F(x: FLOAT):
    while x < 10:
        x = x * 2
    else:
        x = -x
    return x
