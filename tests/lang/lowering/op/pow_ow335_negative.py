"""op.pow, OW335: a negative power of an integer is a fraction."""

from opwright import INT64, script


@script()
def F(x: INT64["N"]):
    return x**-1
