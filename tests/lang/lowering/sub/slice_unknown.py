"""sub.slice.unknown: Bounds known at run time: numbers, or tensors of one element."""

from opwright import FLOAT, INT64, script


@script()
def F(x: FLOAT["N"], n: INT64):
    return x[n:]
