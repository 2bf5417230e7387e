"""stmt.refused, OW303: state outside of the function."""

from opwright import FLOAT, script


@script()
def F(x: FLOAT["N"]):
    global y
    return -x
