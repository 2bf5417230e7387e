"""stmt.return, OW306: each path must return."""

from opwright import FLOAT, script


@script()
def F(x: FLOAT["N"]):
    -x
