"""op.refused, OW304: sets."""

from opwright import FLOAT, script


@script()
def F(x: FLOAT["N"]):
    return {x}
