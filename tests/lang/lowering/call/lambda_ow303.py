"""call.lambda, OW303: In Python each of them would read the last `i`."""

from opwright import FLOAT, script


@script()
def F(x: FLOAT["N"]):
    scales = [lambda v: v * i for i in range(3)]  # noqa: B023
    return scales[0](x)
