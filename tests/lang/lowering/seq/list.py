"""seq.list: Lists and tuples of values exist when the function is built; unpacking and indexing them costs
nothing."""

from opwright import FLOAT, script


@script()
def F(x: FLOAT["N"]):
    parts = [x, -x, x + x]
    a, b, c = parts
    return parts[0] + c
