"""stmt.return: The values become the outputs."""

from opwright import FLOAT, script


@script()
def F(x: FLOAT["N"]):
    return -x
