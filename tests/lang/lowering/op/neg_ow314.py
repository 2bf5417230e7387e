"""op.neg, OW314: unsigned integers have none."""

from opwright import UINT8, script


@script()
def F(x: UINT8["N"]):
    return -x
