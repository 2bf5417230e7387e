"""sub.slice.object, OW203: A slice has one to three bounds."""

from opwright import FLOAT, script


@script()
def F(x: FLOAT["N"]):
    return x[slice(0, 1, 1, 1)]
