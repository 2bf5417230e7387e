"""op.logical: The same of booleans, element by element."""

from opwright import FLOAT, script


@script()
def F(x: FLOAT["N"]):
    small = (x > 0) & (x < 1)
    return (small | (x == 5)) ^ ~small
