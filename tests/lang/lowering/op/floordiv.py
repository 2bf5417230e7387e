"""op.floordiv: Quotient rounded down, by numpy's algorithm: exact where `Floor(Div)` is not."""

from opwright import INT64, script


@script()
def F(x: INT64["N"], y: INT64["N"]):
    return x // y
