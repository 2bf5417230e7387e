"""static.dict: By comprehension, over what is static."""

from opwright import FLOAT, script


@script()
def F(x: FLOAT["N"]):
    powers = {k % 2: x**k for k in range(2, 5) if k != 3}
    for k, power in powers.items():
        x = x + power * k
    return x * len(powers)
