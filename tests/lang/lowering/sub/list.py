"""sub.list: A list of ints is a tensor of them."""

from opwright import FLOAT, script


@script()
def F(x: FLOAT["N"]):
    return x[[2, 0]]
