"""op.floordiv: Of unsigned integers `Div` rounds down."""

from opwright import UINT8, script


@script()
def F(x: UINT8["N"], y: UINT8["N"]):
    return x // y
