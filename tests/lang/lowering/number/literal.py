"""number.literal: A literal takes the element type of the tensor that it meets."""

from opwright import FLOAT, INT64, script


@script()
def F(x: FLOAT["N"], n: INT64["N"]):
    return x * 2 + 0.5, n * 2
