"""stmt.assign.augmented, OW343: an element is storage."""

from opwright import FLOAT, script


@script()
def F(x: FLOAT["N"]):
    x[0] += 1
    return x
