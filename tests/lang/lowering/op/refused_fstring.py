"""op.refused, OW304: texts of values."""

from opwright import FLOAT, script


@script()
def F(x: FLOAT["N"]):
    return f"{x}"
