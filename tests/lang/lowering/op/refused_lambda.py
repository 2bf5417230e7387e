"""op.refused, OW304: functions without a name."""

from opwright import FLOAT, script


@script()
def F(x: FLOAT["N"]):
    return (lambda y: -y)(x)
