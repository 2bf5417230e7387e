"""param.tensor, OW317: an annotation that says neither."""

from opwright import FLOAT, script


@script()
def F(x: FLOAT["N"], alpha: int | str = 1):
    return x
