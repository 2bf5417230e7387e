"""op.pow, OW335: the exponent may be negative."""

from opwright import INT64, script


@script()
def F(x: INT64["N"]):
    return 3**x
