"""op.refused, OW304: generators."""

from opwright import FLOAT, script


@script()
def F(x: FLOAT["N"]):
    return (yield x)
