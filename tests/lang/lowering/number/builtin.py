"""number.builtin: `int`, `float`, `bool`, `str`, `min`, `max`, `round` and `math` of what is known."""

import math

from opwright import FLOAT, script


@script()
def F(x: FLOAT["N"]):
    return x * max(int(2.7), round(1.2)) + math.floor(math.log2(8.5))
