"""scope.local: Names belong to the function; a parameter may be bound again."""

import math

from opwright import FLOAT, script


@script()
def F(x: FLOAT["N"]):
    x = x + 1
    math = x * 2
    return math
