"""op.shift: Bits moved left or right, of unsigned integers."""

from opwright import UINT8, script


@script()
def F(x: UINT8["N"]):
    return (x << 1) + (x >> 1)
