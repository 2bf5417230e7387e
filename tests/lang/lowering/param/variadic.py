"""param.variadic: Any number of inputs: a list of known length wherever the function is called."""

from opwright import FLOAT, script


def total(*xs):
    result = xs[0]
    for x in xs[1:]:
        result = result + x
    return result


@script()
def F(x: FLOAT["N"]):
    return total(x, x, -x)
