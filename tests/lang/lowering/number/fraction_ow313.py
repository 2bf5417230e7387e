"""number.fraction, OW313: a number of the run time may have one."""

from opwright import INT64, script


@script()
def F(x: INT64["N"], n: int):
    return x * (n / 2)
