"""stmt.if.static: A condition that is known when the function is built chooses then; the other branch is not looked
at."""

import math

from opwright import FLOAT, script


@script()
def F(x: FLOAT["N"]):
    if math.pi > 3:
        y = -x
    return y
