"""op.pow: Power. Of signed integers it is a product, exact to the last bit; its exponent is known and not negative."""

from opwright import FLOAT, script


@script()
def F(x: FLOAT["N"]):
    return x**2
