"""op.refused, OW304: dictionaries."""

from opwright import FLOAT, script


@script()
def F(x: FLOAT["N"]):
    return {"x": x}
