"""stmt.assert, OW303: no declared shape proves it."""

from opwright import FLOAT, script


@script()
def F(x: FLOAT["M", "N"], y: FLOAT["N"]):
    assert x.shape[0] == y.shape[0]
    return x - y
