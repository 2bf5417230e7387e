"""scope.shadow: A nested function's names are its own; it sees those around it as they are when it is called."""

from opwright import FLOAT, script


@script()
def F(x: FLOAT["N"]):
    y = x + 1

    def inner(x):
        y = x * 2
        return y

    return inner(y) + y
