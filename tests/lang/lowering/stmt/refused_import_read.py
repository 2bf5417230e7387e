"""stmt.refused, OW303: what is imported inside of the function, told once."""

from opwright import FLOAT, script


@script()
def F(x: FLOAT["N"]):
    import math as m

    return x * m.pi
