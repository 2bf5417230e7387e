"""seq.item, OW345: A place of the run time is that of a tensor."""

from opwright import FLOAT, INT64, script


@script()
def F(x: FLOAT["N"], n: INT64):
    parts = [x, 1]
    parts[n] = -x
    return parts[0]
