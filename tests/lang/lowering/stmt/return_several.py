"""stmt.return.several: A tuple is several outputs."""

from opwright import FLOAT, script


@script()
def F(x: FLOAT["N"]):
    return -x, x
