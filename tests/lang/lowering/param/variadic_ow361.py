"""param.variadic, OW361: alone it is a template, which a call completes."""

from opwright import opset18 as op
from opwright import script


@script()
def F(*xs):
    return op.Concat(*xs, axis=0)
