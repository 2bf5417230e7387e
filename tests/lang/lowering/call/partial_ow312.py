"""call.partial, OW312: a number is not called."""

from functools import partial

from opwright import FLOAT, script


@script()
def F(x: FLOAT["N"]):
    return partial(2.0, x)()
