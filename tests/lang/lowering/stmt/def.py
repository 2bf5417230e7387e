"""stmt.def: A nested function is called, or passed where an operator wants a graph; calls are inlined."""

from opwright import FLOAT, script


@script()
def F(x: FLOAT["N"]):
    def twice(y):
        return y + y

    return twice(twice(x))
