"""seq.item, OW344: A list that changes has one name."""

from opwright import FLOAT, script


@script()
def F(x: FLOAT["N"]):
    parts = [x, x]
    others = parts
    parts[0] = -x
    return others[0]
