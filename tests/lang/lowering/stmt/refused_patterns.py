"""stmt.refused, OW303: patterns."""

from opwright import FLOAT, script


@script()
def F(x: FLOAT["N"]):
    match x:
        case _:
            return -x
