"""static.comprehension: Lists by comprehension, over what is static."""

from opwright import FLOAT, script


@script()
def F(x: FLOAT["N"]):
    a, b = [x * i for i in range(3) if i > 0]
    return a + b
