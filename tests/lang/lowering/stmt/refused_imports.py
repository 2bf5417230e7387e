"""stmt.refused, OW303: imports."""

import math

from opwright import FLOAT, script


@script()
def F(x: FLOAT["N"]):
    import math

    return x * math.pi
