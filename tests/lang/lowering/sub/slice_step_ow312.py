"""sub.slice.step, OW312: numpy refuses a step of zero."""

from opwright import FLOAT, script


@script()
def F(x: FLOAT["N"]):
    return x[::0]
