"""static.presence: Whether an optional input is there."""

from opwright import FLOAT, script


@script()
def F(x: FLOAT["N"], y: FLOAT["N"] = None):
    return -x if y is None else x - y
