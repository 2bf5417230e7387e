"""seq.item, OW345: The place is known when the function is built."""

from opwright import FLOAT, INT64, script


@script()
def F(x: FLOAT["N"], n: INT64):
    parts = [x, x]
    parts[n] = -x
    return parts[0]
