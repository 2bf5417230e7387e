"""sub.mask, OW342: A mask is as long as its axis."""

from opwright import FLOAT, script


@script()
def F(x: FLOAT[3]):
    return x[[True, False]]
