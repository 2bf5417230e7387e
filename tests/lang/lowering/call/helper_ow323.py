"""call.helper, OW323: it may not call itself."""

from opwright import FLOAT, script


def again(x):
    return again(x)


@script()
def F(x: FLOAT["N"]):
    return again(x)
