"""op.pow: Where the element type is the caller's choice and may be an integer, a pass makes a product of `Pow`."""

from opwright import script


@script()
def F(x):
    return x**5
