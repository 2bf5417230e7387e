"""op.not: One element that is zero or not; of several write `~`."""

from opwright import FLOAT, script


@script()
def F(x: FLOAT):
    return not x
