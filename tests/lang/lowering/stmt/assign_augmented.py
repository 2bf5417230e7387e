"""stmt.assign.augmented: `y += x` binds `y` to `y + x`; no storage changes. Of an array of numpy it is refused."""

from opwright import FLOAT, script


@script()
def F(x: FLOAT["N"]):
    y = x
    y += 1
    y *= x
    return y - x
