"""number.literal, OW313: nor does what is out of range."""

from opwright import UINT8, script


@script()
def F(x: UINT8["N"]):
    return x + 300
