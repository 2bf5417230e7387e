"""op.div: Quotient; of integers the integer one, rounded towards zero, as `Div` is."""

from opwright import INT64, script


@script()
def F(x: INT64["N"], y: INT64["N"]):
    return x / y
