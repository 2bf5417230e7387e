"""stmt.del, OW308: it is gone."""

from opwright import FLOAT, script


@script()
def F(x: FLOAT["N"]):
    y = -x
    del y
    return y
