"""seq.append, OW345: What looks at the values of the items."""

from opwright import FLOAT, script


@script()
def F(x: FLOAT["N"]):
    parts = [x, -x]
    parts.sort()
    return parts[0]
