"""op.pow: Power. Of signed integers it is a product, exact to the last bit; its exponent is known and not negative."""

from opwright import INT64, script


@script()
def F(x: INT64["N"]):
    return x**2 + x**5
