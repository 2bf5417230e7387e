"""stmt.assert: on sizes that declared shapes prove."""

from opwright import FLOAT, script


@script()
def F(x: FLOAT[2, "N"], y: FLOAT["N"]):
    assert x.shape[0] == 2 and x.shape[1] == y.shape[0]
    return x - y
