"""op.neg: Opposite; `+x` is `x`."""

from opwright import FLOAT, script


@script()
def F(x: FLOAT["N"]):
    return +x - -x
