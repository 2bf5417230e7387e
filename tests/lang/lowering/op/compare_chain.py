"""op.compare.chain: Each operand is evaluated once, the last only where the first comparison holds."""

from opwright import FLOAT, script


@script()
def F(x: FLOAT):
    return 0 < x < 1
