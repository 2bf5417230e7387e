"""number.typed, OW314: it makes scalars of numbers; tensors are cast."""

from opwright import FLOAT, INT64, script


@script()
def F(x: INT64["N"]):
    return FLOAT(x)
