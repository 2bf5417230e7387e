"""stmt.assign.augmented: `y += x` binds `y` to `y + x`; no storage changes, and that of an array of numpy, which Python changes, is refused."""

from opwright import FLOAT, script


@script()
def F(x: FLOAT["N"]):
    y = x
    y += 1
    y *= x
    return y - x
