"""stmt.while: As long as the condition is true, which is evaluated before each trip."""

from opwright import FLOAT, script


@script()
def F(x: FLOAT):
    while x < 10:
        x = x * 2
    return x
