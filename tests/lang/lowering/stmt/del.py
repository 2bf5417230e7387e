"""stmt.del: The name has no value any more."""

from opwright import FLOAT, script


@script()
def F(x: FLOAT["N"], unused: FLOAT):
    del unused
    return -x
