"""stmt.refused, OW303: exceptions."""

from opwright import FLOAT, script


@script()
def F(x: FLOAT["N"]):
    try:
        return -x
    except ValueError:
        return x
