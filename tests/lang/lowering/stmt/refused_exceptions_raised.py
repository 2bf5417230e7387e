"""stmt.refused, OW303: exceptions, raised."""

from opwright import FLOAT, script


@script()
def F(x: FLOAT["N"]):
    raise ValueError
