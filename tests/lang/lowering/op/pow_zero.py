"""op.pow: Ones, where `Pow` does not take the element type."""

from opwright import INT8, script


@script()
def F(x: INT8["N"]):
    return x**0
