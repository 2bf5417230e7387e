"""op.transpose: of whatever rank the tensor has."""

from opwright import FLOAT, script


@script()
def F(x: FLOAT[...]):
    return x.T
