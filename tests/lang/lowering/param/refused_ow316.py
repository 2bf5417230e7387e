"""param.refused, OW316: arbitrary keyword arguments."""

from opwright import script


@script()
def F(x, **attributes):
    return x
