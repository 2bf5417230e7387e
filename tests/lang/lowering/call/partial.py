"""call.partial: `functools.partial` of an operator, a function or another one."""

from functools import partial

from opwright import FLOAT, script
from opwright import opset18 as op


def scaled(x, by, *, plus=0.0):
    return x * by + plus


double = partial(scaled, by=2.0)


@script()
def F(x: FLOAT["N"]):
    clipped = partial(op.Clip, x, -1.0)
    return partial(double, plus=1.0)(clipped(3.0), by=x)
