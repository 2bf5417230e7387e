"""param.optional, OW326: it must be asked."""

from opwright import FLOAT, script


@script()
def F(x: FLOAT["N"], y: FLOAT["N"] = None):
    return x + y
