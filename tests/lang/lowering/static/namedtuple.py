"""static.namedtuple: Its fields are numbers."""

from typing import NamedTuple

from opwright import FLOAT, script


class Affine(NamedTuple):
    scale: float
    shift: float = 0.5


@script()
def F(x: FLOAT["N"]):
    by = Affine(2.0)
    return x * by.scale + by.shift
