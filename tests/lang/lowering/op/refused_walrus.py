"""op.refused, OW304: names bound inside expressions."""

from opwright import FLOAT, script


@script()
def F(x: FLOAT["N"]):
    return (y := -x)
