"""number.literal, OW313: a fraction does not fit an integer."""

from opwright import INT64, script


@script()
def F(n: INT64["N"]):
    return n + 0.5
