"""seq.item: At a place of the run time the new item is inserted, and the old one behind it erased."""

from opwright import FLOAT, INT64, Sequence, script


@script()
def F(x: Sequence[FLOAT["N"]], n: INT64, y: FLOAT["N"]):
    parts = x + []
    parts[n] = y
    return parts
