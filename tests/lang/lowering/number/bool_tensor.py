"""number.math: `bool` of a tensor is what `if` asks."""

from opwright import FLOAT, script


@script()
def F(x: FLOAT["N"]):
    return x * (bool(x[0]) + 1)
