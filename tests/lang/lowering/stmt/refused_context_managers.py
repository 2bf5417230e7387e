"""stmt.refused, OW303: context managers."""

from opwright import FLOAT, script


@script()
def F(x: FLOAT["N"]):
    with x:
        return -x
