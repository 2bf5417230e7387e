"""op.transpose: `x.T` is `x` with its axes in reverse, as in numpy: of a vector or a scalar `x` itself."""

from opwright import FLOAT, script


@script()
def F(x: FLOAT["M", "N"], y: FLOAT["M"]):
    return x.T + y.T
