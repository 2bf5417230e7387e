"""static.rank: `x.ndim` is numpy's name for it."""

from opwright import FLOAT, script


@script()
def F(x: FLOAT["N"], y: FLOAT["M", "N"]):
    return x + x.ndim if y.ndim == 2 else y
