"""number.module: A module's constants are numbers too."""

import math

from opwright import FLOAT, script

HALF = math.sqrt(0.25)


@script()
def F(x: FLOAT["N"]):
    return x * HALF * math.pi
