"""number.math: Functions of `math` that runtimes compute as Python does."""

import math

from opwright import FLOAT, script


@script()
def F(x: FLOAT["M", "N"], a: float):
    return x * math.sqrt(x.shape[0]) + math.floor(a)
