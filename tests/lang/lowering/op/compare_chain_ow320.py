"""op.compare.chain, OW320: a chain asks for one truth value; write `(0 < x) & (x < 1)`."""

from opwright import FLOAT, script


@script()
def F(x: FLOAT[2]):
    return 0 < x < 1
