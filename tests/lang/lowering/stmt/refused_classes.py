"""stmt.refused, OW303: classes."""

from opwright import FLOAT, script


@script()
def F(x: FLOAT["N"]):
    class A:
        pass

    return -x
