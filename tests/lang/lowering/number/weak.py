"""number.weak: A number stays one through names, branches and loops until it meets a tensor. Where it is a number on
one path and a tensor on another, what differs between the two is refused."""

from opwright import FLOAT, INT64, script


@script()
def F(x: FLOAT["N"], n: INT64):
    s = 0
    for i in range(n):
        s = s + x
    return s
