"""op.div: Quotient; of integers the integer one, rounded towards zero, as `Div` is."""

from opwright import FLOAT, script


@script()
def F(x: FLOAT["N"], y: FLOAT["N"]):
    return x / y
