"""param.optional: `=None` makes an input optional; whether it is there is a static question."""

from opwright import FLOAT, script


@script()
def F(x: FLOAT["N"], y: FLOAT["N"] = None):
    if y is not None:
        x = x + y
    return x
