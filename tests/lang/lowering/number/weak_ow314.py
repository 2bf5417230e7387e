"""number.weak, OW314: without a trip Python would divide numbers, and give a fraction."""

from opwright import INT64, script


@script()
def F(x: INT64["N"], n: INT64):
    s = 1
    for i in range(n):
        s = s + x
    return s / 2
