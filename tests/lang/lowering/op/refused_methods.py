"""op.refused, OW304: methods."""

from opwright import FLOAT, script


@script()
def F(x: FLOAT["N"]):
    return x.mean()
