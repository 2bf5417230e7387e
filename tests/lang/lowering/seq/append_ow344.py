"""seq.append, OW344: a list that grows has one name."""

from opwright import FLOAT, script


@script()
def F(x: FLOAT["N"]):
    parts = [x]
    others = parts
    parts.append(x)
    return others[0]
