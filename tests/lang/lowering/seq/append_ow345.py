"""seq.append, OW345: other ways to change a list."""

from opwright import FLOAT, script


@script()
def F(x: FLOAT["N"]):
    parts = [x]
    parts.insert(0, x)
    return parts[0]
