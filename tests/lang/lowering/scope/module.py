"""scope.module: What the module defines or imports is read when the function is compiled."""

from opwright import FLOAT, script

SCALE = 2.0


@script()
def F(x: FLOAT["N"]):
    return x * SCALE
