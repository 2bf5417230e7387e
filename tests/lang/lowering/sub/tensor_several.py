"""sub.tensor.several: Several tensors are broadcast together, as in numpy."""

from opwright import FLOAT, INT64, script


@script()
def F(x: FLOAT["M", "N"], i: INT64["K"], j: INT64["K"]):
    return x[i, j]
