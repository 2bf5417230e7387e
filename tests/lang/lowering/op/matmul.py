"""op.matmul: Matrix product."""

from opwright import FLOAT, script


@script()
def F(x: FLOAT["M", "K"], y: FLOAT["K", "N"]):
    return x @ y
