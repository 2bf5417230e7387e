"""number.math, OW304: no operator gives Python's result to the last bit."""

import math

from opwright import FLOAT, script


@script()
def F(x: FLOAT["N"]):
    return x * math.log2(x.shape[0])
